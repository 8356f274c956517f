//! The files of the page, which are a part of the program.

/// A file of the page.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

const PAGE: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// All files of the page.
const ASSETS: &[Asset] = &[
    Asset { path: "/", kind: PAGE, bytes: include_bytes!("page/index.html") },
    Asset { path: "/api.js", kind: SCRIPT, bytes: include_bytes!("page/api.js") },
    Asset { path: "/app.js", kind: SCRIPT, bytes: include_bytes!("page/app.js") },
    Asset { path: "/capabilities.js", kind: SCRIPT, bytes: include_bytes!("page/capabilities.js") },
    Asset { path: "/compare.js", kind: SCRIPT, bytes: include_bytes!("page/compare.js") },
    Asset { path: "/dialog.js", kind: SCRIPT, bytes: include_bytes!("page/dialog.js") },
    Asset { path: "/dom.js", kind: SCRIPT, bytes: include_bytes!("page/dom.js") },
    Asset { path: "/drive.js", kind: SCRIPT, bytes: include_bytes!("page/drive.js") },
    Asset { path: "/export.js", kind: SCRIPT, bytes: include_bytes!("page/export.js") },
    Asset { path: "/filter.js", kind: SCRIPT, bytes: include_bytes!("page/filter.js") },
    Asset { path: "/format.js", kind: SCRIPT, bytes: include_bytes!("page/format.js") },
    Asset { path: "/frame.css", kind: STYLE, bytes: include_bytes!("page/frame.css") },
    Asset { path: "/item.js", kind: SCRIPT, bytes: include_bytes!("page/item.js") },
    Asset { path: "/json.js", kind: SCRIPT, bytes: include_bytes!("page/json.js") },
    Asset { path: "/keys.js", kind: SCRIPT, bytes: include_bytes!("page/keys.js") },
    Asset { path: "/loaded.js", kind: SCRIPT, bytes: include_bytes!("page/loaded.js") },
    Asset { path: "/message.css", kind: STYLE, bytes: include_bytes!("page/message.css") },
    Asset { path: "/message.js", kind: SCRIPT, bytes: include_bytes!("page/message.js") },
    Asset { path: "/overview.js", kind: SCRIPT, bytes: include_bytes!("page/overview.js") },
    Asset { path: "/pace.js", kind: SCRIPT, bytes: include_bytes!("page/pace.js") },
    Asset { path: "/problem.js", kind: SCRIPT, bytes: include_bytes!("page/problem.js") },
    Asset { path: "/row.js", kind: SCRIPT, bytes: include_bytes!("page/row.js") },
    Asset { path: "/sequence.js", kind: SCRIPT, bytes: include_bytes!("page/sequence.js") },
    Asset { path: "/sessions.js", kind: SCRIPT, bytes: include_bytes!("page/sessions.js") },
    Asset { path: "/statistics.js", kind: SCRIPT, bytes: include_bytes!("page/statistics.js") },
    Asset { path: "/tabs.js", kind: SCRIPT, bytes: include_bytes!("page/tabs.js") },
    Asset { path: "/text.js", kind: SCRIPT, bytes: include_bytes!("page/text.js") },
    Asset { path: "/timeline.css", kind: STYLE, bytes: include_bytes!("page/timeline.css") },
    Asset { path: "/timeline.js", kind: SCRIPT, bytes: include_bytes!("page/timeline.js") },
    Asset { path: "/tokens.css", kind: STYLE, bytes: include_bytes!("page/tokens.css") },
    Asset { path: "/views.css", kind: STYLE, bytes: include_bytes!("page/views.css") },
];

/// Returns the file at a path of the address.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}
