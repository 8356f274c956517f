//! Chromium without a window, driven over its pipe by the DevTools protocol.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

/// The names under which it is installed.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ARGUMENTS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
];
/// The pipe of the protocol is the files 3 and 4.
const PIPE: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
/// A page that does not answer for so long hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// One browser at a time: each takes a core.
static ONE: Mutex<()> = Mutex::const_new(());

/// A browser with one page. It ends when it is dropped.
pub(super) struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    last: u64,
    session: Option<String>,
    /// Faults of scripts, refusals of the policy of contents, and dialogs.
    pub(super) faults: Vec<String>,
    _profile: TempDir,
    _turn: Arc<MutexGuard<'static, ()>>,
}

impl Browser {
    /// Starts a browser. Without one the test is skipped, or fails if `ACP_REQUIRE_CHROMIUM` is 1.
    pub(super) async fn start() -> Option<Self> {
        let program = program()?;
        let turn = Arc::new(ONE.lock().await);
        // On a busy machine a browser may end before it begins.
        let mut browser = (0..3).find_map(|_| Self::launch(&program, &turn)).expect("Chromium starts");
        browser.attach();
        Some(browser)
    }

    /// Starts a process. Returns `None` if it ends at once.
    fn launch(program: &Path, turn: &Arc<MutexGuard<'static, ()>>) -> Option<Self> {
        let profile = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-c", PIPE, "sh"]).arg(program).args(ARGUMENTS);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell starts");
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            input,
            messages,
            last: 0,
            session: None,
            faults: Vec::new(),
            _profile: profile,
            _turn: Arc::clone(turn),
        };
        browser.ask("Browser.getVersion", json!({})).ok()?;
        Some(browser)
    }

    fn attach(&mut self) {
        let targets = self.call("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().unwrap();
        let page =
            targets.iter().find(|target| target["type"] == "page").expect("a page")["targetId"].clone();
        let session = self.call("Target.attachToTarget", json!({"targetId": page, "flatten": true}));
        self.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "DOM", "Accessibility"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        self.size(1280, 800);
        self.scheme("light");
    }

    /// Calls a method of the protocol, and returns its result.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Calls a method. Fails if the browser has ended or does not answer.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Box<dyn Error>> {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method});
        message["params"] = params;
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes())?;
        loop {
            let mut message = self.messages.recv_timeout(LIMIT)?;
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {message}");
                return Ok(message["result"].take());
            }
            self.note(&message["method"], &message["params"]);
        }
    }

    fn note(&mut self, method: &Value, params: &Value) {
        match method.as_str() {
            Some("Runtime.exceptionThrown") => self.faults.push(params["exceptionDetails"].to_string()),
            Some("Page.javascriptDialogOpening") => self.faults.push(format!("a dialog: {params}")),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.faults.push(params["entry"].to_string());
            }
            _ => {}
        }
    }

    /// Evaluates an expression in the page. A promise is waited for.
    pub(super) fn js(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Waits until a condition of the page holds.
    pub(super) fn until(&mut self, condition: &str) {
        self.js(&format!(
            "new Promise((done, fail) => {{ const end = performance.now() + 60000; const look = () => {{
               if ({condition}) done(true);
               else if (performance.now() > end) fail(new Error(document.body.innerText.slice(0, 2000)));
               else requestAnimationFrame(look); }}; look(); }})"
        ));
    }

    /// Returns the text of an element.
    pub(super) fn text(&mut self, selector: &str) -> String {
        let text = self.js(&format!("document.querySelector({}).textContent", json!(selector)));
        text.as_str().unwrap().to_owned()
    }

    /// Clicks into the middle of the first element that fits, as a mouse does.
    pub(super) fn click(&mut self, selector: &str) {
        let place = self.js(&format!(
            "(() => {{ const node = document.querySelector({}); node.scrollIntoView({{ block: 'nearest' }});
               const box = node.getBoundingClientRect();
               return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Presses a key, by its name in `KeyboardEvent.key`.
    pub(super) fn press(&mut self, key: &str) {
        let (text, code) = match key {
            "Enter" => ("\r", 13),
            "Tab" => ("", 9),
            "Escape" => ("", 27),
            "End" => ("", 35),
            "Home" => ("", 36),
            "ArrowRight" => ("", 39),
            "ArrowDown" => ("", 40),
            _ => (key, 0),
        };
        let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let params = json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", params);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Types into the element in focus.
    pub(super) fn enter(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    pub(super) fn size(&mut self, width: u32, height: u32) {
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", params);
    }

    /// Sets the colour scheme: `light` or `dark`.
    pub(super) fn scheme(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Fails if a script of the page has failed, if the page was refused something, or if it tells of
    /// a problem.
    pub(super) fn is_clean(&mut self) {
        // What has happened before this call was told before its answer.
        let problem = self
            .js("(({ hidden, textContent }) => hidden || textContent)(document.getElementById('problem'))");
        assert_eq!(problem, true);
        assert!(self.faults.is_empty(), "{:#?}", self.faults);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[expect(clippy::print_stderr, reason = "a test that is left out is loud")]
fn program() -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let found = PROGRAMS
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()));
    if found.is_none() {
        assert!(
            std::env::var_os("ACP_REQUIRE_CHROMIUM").is_none_or(|required| required != "1"),
            "Chromium is missing: install it"
        );
        eprintln!("\n*** SKIPPED: no Chromium. The page of the inspector is NOT tested. ***\n");
    }
    found
}
