//! The files of the page, which are a part of the program.

/// A file of the page.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// All files of the page.
const ASSETS: &[Asset] = &[
    Asset { path: "/", kind: "text/html; charset=utf-8", bytes: include_bytes!("page/index.html") },
    Asset { path: "/style.css", kind: "text/css; charset=utf-8", bytes: include_bytes!("page/style.css") },
    Asset { path: "/app.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("page/app.js") },
];

/// Returns the file at a path of the address.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}
