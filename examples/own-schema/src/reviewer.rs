//! An agent that reviews.

use acp_agent::{Error, Result, StopReason, Turn, agent};

use crate::methods::AcmeDevReview;
use crate::{ReviewFocus, ReviewRequest, ReviewResponse};

/// Approves everything that does not touch secrets.
#[derive(Debug)]
pub struct Reviewer;

#[agent(name = "reviewer")]
impl Reviewer {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("Ask for a review.").await?;
        Ok(StopReason::EndTurn)
    }

    #[on(AcmeDevReview)]
    async fn review(&self, review: ReviewRequest) -> Result<ReviewResponse> {
        if review.paths.is_empty() {
            return Err(Error::invalid_params("`paths`: there is nothing to review"));
        }
        let is_secret = |path: &String| path.ends_with(".key");
        let remarks: Vec<String> = match review.focus {
            Some(ReviewFocus::Style) => Vec::new(),
            _ => {
                review.paths.into_iter().filter(is_secret).map(|path| format!("{path} is a secret")).collect()
            }
        };
        Ok(ReviewResponse::new(remarks.is_empty()).remarks(remarks))
    }
}
