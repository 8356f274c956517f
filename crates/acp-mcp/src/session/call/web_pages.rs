//! The web pages that the error -32042 of a legacy server wants the user to visit.

use serde::Deserialize;
use serde_json::Value;

use crate::error::UrlElicitation;

/// The code of the error.
pub(super) const REQUIRED: i32 = -32042;
/// The number of pages that a server may ask for at once.
const MOST_PAGES: usize = 8;

/// Reads the pages from the data of the error. `None` when the data is something else, or has more
/// pages than anybody would visit.
pub(super) fn elicitations(data: Option<&Value>) -> Option<Vec<UrlElicitation>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        mode: String,
        elicitation_id: String,
        url: String,
        message: String,
    }
    let listed = data?.get("elicitations")?.as_array()?;
    let read = |asked: &Value| {
        let asked = Asked::deserialize(asked).ok().filter(|asked| asked.mode == "url")?;
        Some(UrlElicitation { id: asked.elicitation_id, url: asked.url, message: asked.message })
    };
    let is_reasonable = (1..=MOST_PAGES).contains(&listed.len());
    is_reasonable.then(|| listed.iter().map(read).collect())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_reasonable_list_of_pages_is_one() {
        let page =
            json!({ "mode": "url", "elicitationId": "1", "url": "https://a/b?c", "message": "Log in" });
        for (data, expected) in [
            (json!({ "elicitations": [page] }), Some(1)),
            (json!({ "elicitations": vec![&page; MOST_PAGES] }), Some(MOST_PAGES)),
            (json!({ "elicitations": vec![&page; MOST_PAGES + 1] }), None),
            (json!({ "elicitations": [] }), None),
            (json!({ "elicitations": [page, { "mode": "form", "message": "?" }] }), None),
            (json!({ "elicitations": [{ "mode": "url", "url": "https://a", "message": "no id" }] }), None),
            (json!({ "elicitations": page }), None),
            (json!([page]), None),
        ] {
            assert_eq!(elicitations(Some(&data)).map(|pages| pages.len()), expected, "{data}");
        }
        assert_eq!(elicitations(None), None);
    }
}
