//! Several processes that use one store.

use acp_agent::store::{Journal, SessionStore as _, StoreError};
use acp_agent::types::SessionId;

use super::{ID, id, info, read, update};

#[tokio::test]
async fn a_session_is_open_once_and_others_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (Journal::at(folder.path()), Journal::at(folder.path()));
    let log = here.create(info(ID)).await.unwrap();
    let busy = |error: Option<StoreError>| matches!(error, Some(StoreError::Busy { session, .. }) if session == id());
    assert!(busy(there.open(&id()).await.err()));
    assert!(busy(there.delete(&id()).await.err()));
    let mut other = there.create(info("other")).await.unwrap();
    other.append(vec![update("1")]).await.unwrap();
    assert_eq!(read(&there, &id()).await.unwrap(), [], "to read is allowed");
    drop(log);
    let log = there.open(&id()).await.unwrap();
    assert!(busy(here.open(&id()).await.err()));
    drop(log);
    here.delete(&id()).await.unwrap();
    for error in
        [there.open(&id()).await.err(), there.delete(&id()).await.err(), there.read(&id()).await.err()]
    {
        assert!(matches!(error, Some(StoreError::Unknown { .. })), "{error:?}");
    }
    assert_eq!(read(&here, &SessionId::from("other")).await.unwrap(), [update("1")]);
}
