//! Promises about principals.

use std::time::{Duration, SystemTime};

use acp_agent::store::StoreError;
use acp_types::v1::{ListSessionsRequest, SessionId};

use super::case::{Stores, Tried, cases, require};
use super::samples::{create, error_of, keep, require_records, require_unknown, updates};

cases! {
    "principals", "Sessions of one principal do not exist for another, also if they have one id.", principals;
    "principals-older-than", "Deleting by age deletes sessions of one principal only.", older_than_of_one;
    "principal-of-the-store", "The store itself has the sessions of the principal without a name.", without_name;
    "principal-names", "Principals whose names differ are different, whatever characters they have.", names;
}

async fn principals([first, second]: Stores) -> Tried {
    let (ann, bob) = (first.for_principal("ann")?, second.for_principal("bob")?);
    let mut open = create(&*ann, "one", updates(0..2)?).await?;
    let id = SessionId::from("one");
    require_unknown(&error_of(bob.open(&id).await, "opening another's")?, "one", "opening")?;
    require_unknown(&error_of(bob.read(&id).await, "reading another's")?, "one", "reading")?;
    require_unknown(&error_of(bob.delete(&id).await, "deleting another's")?, "one", "deleting")?;
    let listed = bob.list(&ListSessionsRequest::new()).await?.sessions;
    require(listed.is_empty(), || "a list has another's session".to_owned())?;
    // The same id, at the same time.
    let log = create(&*bob, "one", updates(10..15)?).await?;
    open.append(updates(2..4)?).await?;
    open.close().await?;
    log.close().await?;
    require_records(&*second.for_principal("ann")?, "one", &updates(0..4)?).await?;
    require_records(&*first.for_principal("bob")?, "one", &updates(10..15)?).await?;
    bob.delete(&id).await?;
    require_records(&*ann, "one", &updates(0..4)?).await?;
    let listed = ann.list(&ListSessionsRequest::new()).await?.sessions;
    require(listed.len() == 1, || format!("{} sessions are listed instead of 1", listed.len()))
}

async fn older_than_of_one([first, second]: Stores) -> Tried {
    let (ann, bob) = (first.for_principal("ann")?, first.for_principal("bob")?);
    keep(&*first, "one", updates(0..1)?).await?;
    keep(&*ann, "one", updates(0..1)?).await?;
    keep(&*bob, "one", updates(0..1)?).await?;
    let soon = SystemTime::now() + Duration::from_secs(3600);
    let deleted = second.for_principal("ann")?.delete_older_than(soon).await?;
    require(deleted == 1, || format!("{deleted} sessions were deleted instead of 1"))?;
    require_records(&*first, "one", &updates(0..1)?).await?;
    require_records(&*bob, "one", &updates(0..1)?).await
}

async fn without_name([first, second]: Stores) -> Tried {
    let ann = first.for_principal("ann")?;
    keep(&*first, "of the store", updates(0..1)?).await?;
    keep(&*ann, "of ann", updates(0..1)?).await?;
    let unnamed = second.for_principal("ann")?.for_principal("")?;
    require_records(&*unnamed, "of the store", &updates(0..1)?).await?;
    for store in [&*unnamed, &*first] {
        let listed = store.list(&ListSessionsRequest::new()).await?.sessions;
        let is_own = listed.iter().all(|session| session.session_id.as_str() == "of the store");
        require(listed.len() == 1 && is_own, || "the list has another's session".to_owned())?;
    }
    Ok(())
}

async fn names([first, second]: Stores) -> Tried {
    let names = ["a", "A", "a/b", "a%2fb", "..", "a ", "\u{e9}", "e\u{301}", "nul\0", "nul\\0", "of-a"];
    for (number, name) in names.into_iter().enumerate() {
        keep(&*first.for_principal(name)?, "one", updates(number..number + 1)?).await?;
    }
    for (number, name) in names.into_iter().enumerate() {
        let expected = updates(number..number + 1)?;
        require_records(&*second.for_principal(name)?, "one", &expected).await?;
    }
    // A long name is kept, or refused.
    let (long, longer) = ("x".repeat(5000), "x".repeat(5001));
    match (first.for_principal(&long), second.for_principal(&longer)) {
        (Ok(long), Ok(longer)) => {
            keep(&*long, "one", updates(0..1)?).await?;
            require_unknown(
                &error_of(longer.open(&SessionId::from("one")).await, "opening another's")?,
                "one",
                "opening",
            )
        }
        (Err(StoreError::Principal), Err(StoreError::Principal)) => Ok(()),
        _ => require(false, || "two long names do not both fail with `Principal`".to_owned()),
    }
}
