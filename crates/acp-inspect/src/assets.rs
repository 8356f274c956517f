//! The files of the page, which are a part of the program.

/// A file of the page.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";

/// All files of the page.
const ASSETS: &[Asset] = &[Asset { path: "/", kind: HTML, bytes: include_bytes!("page/index.html") }];

/// Returns the file at a path of the address.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}
