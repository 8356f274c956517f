//! A message that must arrive: an answer or a cancellation, which the agent waits for.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Id};
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::letter::Letter;
use super::post::{exchange, fail, is_the_end, taken};
use super::shared::Shared;
use super::stop::Stop;
use super::stream::FIRST_WAIT;
use crate::client::error::Error;
use crate::client::undelivered::Undelivered;

/// The refusals after which a message counts as refused.
const MOST_REFUSALS: u32 = 3;
/// The status for a message that is too long.
const TOO_LONG: u16 = 413;

/// Sends a message that must arrive, again if need be. If it cannot be sent in the time of a POST,
/// the connection ends: the agent would wait for ever.
pub(super) async fn insist(shared: &Arc<Shared>, letter: &Letter, message: Vec<u8>) -> Result<(), Stop> {
    let limit = shared.settings.post_timeout;
    let late = || Err(Stop::Failed(Error::TimedOut { exchange: letter.exchanged(), after: limit }));
    timeout(limit, repeat(shared, letter, message)).await.unwrap_or_else(|_| late())
}

async fn repeat(shared: &Arc<Shared>, letter: &Letter, mut message: Vec<u8>) -> Result<(), Stop> {
    let (mut wait, mut refusals, mut instead) = (FIRST_WAIT, 0, letter.answers.as_ref());
    loop {
        match exchange(shared, message.clone(), &letter.session, &letter.exchanged()).await {
            Ok(posted) => match posted.head.status.as_u16() {
                200..300 => {
                    taken(shared, posted).await;
                    return Ok(());
                }
                408 | 425 | 429 | 500 | 502.. => {}
                status => {
                    let problem = Error::Refused { exchange: letter.exchanged(), status };
                    if is_the_end(status) {
                        return Err(Stop::Failed(problem));
                    }
                    refusals += 1;
                    // Perhaps it was cut off on its way.
                    if status != TOO_LONG && refusals < MOST_REFUSALS {
                        sleep(wait).await;
                        continue;
                    }
                    match instead.take() {
                        // The agent has to hear something.
                        Some(id) => message = refused_answer(id, status),
                        None if letter.answers.is_some() => return Err(Stop::Failed(problem)),
                        None => {
                            fail(shared, letter, Undelivered::Refused(status), &problem).await;
                            return Ok(());
                        }
                    }
                    continue;
                }
            },
            Err(error @ Error::TimedOut { .. }) => return Err(Stop::Failed(error)),
            Err(_) => {}
        }
        sleep(wait).await;
        wait = wait.saturating_mul(2);
    }
}

/// Returns the answer in place of one that the server does not take.
fn refused_answer(id: &Id, status: u16) -> Vec<u8> {
    let message = format!("the server refused the answer with status {status}");
    let error = json!({ "code": RpcError::INTERNAL_ERROR, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into_bytes()
}
