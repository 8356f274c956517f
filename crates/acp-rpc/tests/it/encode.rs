//! Params that are JSON text already.

use acp_rpc::layer::{Exchange, Outbound, Outgoing, layer_fn};
use acp_rpc::{CallError, Encode, EncodeError, Options};
use serde_core::ser::Error as _;

use crate::common::{Lab, raw};

/// A text, or an error half-way.
struct Text(&'static str, Result<(), &'static str>);

impl Encode for Text {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        buffer.extend_from_slice(self.0.as_bytes());
        self.1.map_err(EncodeError::custom)
    }
}

/// Adds the member `n` of the params to their `_meta`.
struct Look<O>(O);

impl<O: Outbound> Outbound for Look<O> {
    fn send<'a>(&self, mut outgoing: Outgoing<'a>) -> Exchange<'a> {
        if let Some(n) = outgoing.param("n") {
            outgoing.add_meta("seen", n);
        }
        self.0.send(outgoing)
    }
}

#[tokio::test]
async fn text_leaves_as_it_is_and_not_at_all_when_it_fails() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    let failed = peer.notify("a", &Text(r#"{"n":"#, Err("not now"))).await.unwrap_err();
    assert!(
        matches!(&failed, CallError::Encode { method, message } if method == "a" && message == "not now")
    );
    peer.notify("a", &Text(r#"{ "n" : 1e2}"#, Ok(()))).await.unwrap();
    assert!(peer.try_notify("b", &Text("[\"line\",\n2]", Ok(()))).unwrap());
    peer.notify_now("c", &Text("null", Ok(()))).unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"a","params":{ "n" : 1e2}}"#);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"b","params":["line", 2]}"#);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"c"}"#);
}

#[tokio::test]
async fn layers_see_it_as_they_see_all_params() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().layer_out(layer_fn(Look)));
    tokio::spawn(driver);
    peer.notify("a", &Text(r#"{"n":7}"#, Ok(()))).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"a","params":{"_meta":{"seen":7},"n":7}}"#);
}
