//! Every kind of message: params and results of the methods in the generated tables.

use std::any::type_name;
use std::fmt::{self, Debug};
use std::sync::LazyLock;

use acp_json::{FromNode, Node, Report};
use acp_types::method::{Kind, Method, MethodInfo, Notification, Request};
use serde_core::Serialize;

/// The content of one kind of message.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) version: &'static str,
    kind: Kind,
    method: &'static str,
    /// The type of the content.
    pub(crate) definition: &'static str,
    /// Reads content and checks what came of it.
    pub(crate) check: fn(&Case, Node<'_>),
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.version, self.method, self.definition)
    }
}

/// All of them.
pub(crate) static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let (v1, v2) = (v1(), v2());
    agree(acp_types::v1::methods::METHODS, &v1);
    agree(acp_types::v2::methods::METHODS, &v2);
    [v1, v2].concat()
});

/// The markers below are the methods of the table.
fn agree(table: &[MethodInfo], cases: &[Case]) {
    let mut rows: Vec<_> = table
        .iter()
        .flat_map(|info| {
            let contents = [Some(info.params), info.response].into_iter().flatten();
            contents.map(|content| (info.name, info.kind == Kind::Request, content))
        })
        .collect();
    let mut marked: Vec<_> =
        cases.iter().map(|case| (case.method, case.kind == Kind::Request, case.definition)).collect();
    rows.sort_unstable();
    marked.sort_unstable();
    assert_eq!(marked, rows, "list each method of the generated table once");
}

macro_rules! methods {
    ($version:ident; requests: $($request:ident),* ; notifications: $($notification:ident),* $(;)?) => {
        fn $version() -> Vec<Case> {
            use acp_types::$version::methods;
            let version = stringify!($version);
            [
                $(request::<methods::$request>(version).to_vec(),)*
                $(vec![notification::<methods::$notification>(version)],)*
            ]
            .concat()
        }
    };
}

methods! {
    v1;
    requests: AuthStatus, Authenticate, ElicitationCreate, FsReadTextFile, FsWriteTextFile, Initialize, Logout,
        McpMessage, ProvidersDisable, ProvidersList, ProvidersSet, ProxyInitialize, ProxySuccessor,
        SessionArchive, SessionClose, SessionDelete, SessionFork, SessionList, SessionLoad, SessionNew,
        SessionPrompt, SessionRequestPermission, SessionResume, SessionSetConfigOption, SessionSetMode,
        SessionSetTitle, SessionStatus, SessionUnarchive, TerminalCreate, TerminalKill, TerminalOutput,
        TerminalRelease, TerminalWaitForExit;
    notifications: AuthStatusUpdate, CancelRequest, ElicitationComplete, McpMessageNotify,
        ProxySuccessorNotify, SessionCancel, SessionUpdate;
}

methods! {
    v2;
    requests: AuthLogin, AuthLogout, AuthStatus, ElicitationCreate, Initialize, McpMessage, ProvidersDisable,
        ProvidersList, ProvidersSet, ProxyInitialize, ProxySuccessor, SessionArchive, SessionClose,
        SessionDelete, SessionFork, SessionList, SessionNew, SessionPrompt, SessionRequestPermission,
        SessionResume, SessionSetConfigOption, SessionSetTitle, SessionStatus, SessionUnarchive,
        TerminalCancel, ToolCallCancel;
    notifications: AuthStatusUpdate, CancelRequest, ElicitationComplete, McpMessageNotify,
        ProxySuccessorNotify, SessionCancel, SessionUpdate;
}

fn request<M: Request>(version: &'static str) -> [Case; 2]
where
    M::Params: Debug + PartialEq,
    M::Response: Debug + PartialEq,
{
    [case::<M, M::Params>(version, Kind::Request), case::<M, M::Response>(version, Kind::Request)]
}

fn notification<M: Notification>(version: &'static str) -> Case
where
    M::Params: Debug + PartialEq,
{
    case::<M, M::Params>(version, Kind::Notification)
}

fn case<M: Method, T: FromNode + Serialize + Debug + PartialEq>(version: &'static str, kind: Kind) -> Case {
    let definition = type_name::<T>().rsplit("::").next().unwrap_or_default();
    Case { version, kind, method: M::NAME, definition, check: check::<T> }
}

fn check<T: FromNode + Serialize + Debug + PartialEq>(case: &Case, node: Node<'_>) {
    let plain = acp_json::read::<T>(node.clone());
    let reported = acp_json::read_reporting::<T>(node, &mut Report::default());
    assert_eq!(plain, reported, "{case}: a report changes nothing");
    let Ok(value) = plain else { return };

    let text = acp_json::to_string(&value);
    let mut report = Report::default();
    let again = acp_json::parse(&text).and_then(|node| acp_json::read_reporting::<T>(node, &mut report));
    assert_eq!(again.as_ref(), Ok(&value), "{case}: written as {text}, and read again");
    assert_eq!(acp_json::to_string(&again.ok()), text, "{case}: written again");
    assert_eq!(report.notes(), [], "{case}: of what was written, {text}");
}
