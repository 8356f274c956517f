//! A user, and the browser of one.

use std::sync::{Arc, Mutex};

use acp_mcp::{AuthorizationPage, Authorizer, AuthorizerAnswer};
use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// Agrees to every page, or follows its instructions, and remembers the pages.
#[derive(Clone, Default)]
pub struct User {
    pages: Arc<Mutex<Vec<AuthorizationPage>>>,
    does: &'static str,
    goes_on: Arc<Notify>,
}

impl User {
    /// `wait` waits for [`go_on`](Self::go_on).
    pub fn who(does: &'static str) -> Self {
        Self { does, ..Self::default() }
    }

    pub fn pages(&self) -> Vec<AuthorizationPage> {
        self.pages.lock().unwrap().clone()
    }

    pub fn go_on(&self) {
        self.goes_on.notify_one();
    }

    async fn act(&self, page: AuthorizationPage) -> AuthorizerAnswer {
        match self.does {
            "" => {
                let back = get(&page.url).await.expect("the page leads back");
                get(&back).await;
                AuthorizerAnswer::Opened
            }
            "wait" => {
                self.goes_on.notified().await;
                let back = get(&page.url).await.expect("the page leads back");
                get(&back).await;
                AuthorizerAnswer::Opened
            }
            "paste" => AuthorizerAnswer::Redirected(get(&page.url).await.expect("the page leads back")),
            "paste another" => {
                let back = get(&page.url).await.expect("the page leads back");
                AuthorizerAnswer::Redirected(back.replace("state=", "state=other"))
            }
            "paste nonsense" => AuthorizerAnswer::Redirected("code-1".to_owned()),
            "open only" => AuthorizerAnswer::Opened,
            "decline" => AuthorizerAnswer::Declined,
            "panic" => panic!("a user"),
            "never" => std::future::pending().await,
            _ => AuthorizerAnswer::Unavailable,
        }
    }
}

impl Authorizer for User {
    fn authorize(&self, page: AuthorizationPage) -> BoxFuture<'_, AuthorizerAnswer> {
        self.pages.lock().unwrap().push(page.clone());
        self.act(page).boxed()
    }
}

/// Returns the address that a page leads to.
async fn get(url: &str) -> Option<String> {
    let (place, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut socket = TcpStream::connect(place).await.unwrap();
    let request = format!("GET /{target} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // The session may stop waiting for the browser before all is read.
    let _ = socket.read_to_string(&mut answer).await;
    let mut headers = answer.lines().filter_map(|line| line.split_once(": "));
    headers.find(|(name, _)| name.eq_ignore_ascii_case("location")).map(|(_, place)| place.to_owned())
}
