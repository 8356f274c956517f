//! The scenarios and rules of clients.

use super::agent::Agent;
use super::reach::Point;
use super::stage::Stage;
#[cfg(feature = "v2")]
use super::v2;
use super::{cases, passive};
use crate::check::subject::{Step, Subject};
use crate::check::suite::{Suite, in_order};
#[cfg(feature = "v2")]
use crate::check::verdict::Stop;
use crate::check::version::Version;

/// Cases whose scenarios make a client answer, and log in.
const SCENES: &[&str] = &[
    "v1-rpc-03",
    "v1-cap-07",
    "v1-fs-04",
    "v1-fs-06",
    "v1-term-04",
    "v1-eli-15",
    "v1-auth-02",
    "v1-cancel-03",
];

/// Returns the suite of clients.
pub(in crate::check) fn of_clients(version: Version) -> Suite<Stage> {
    match version {
        Version::V1 => Suite {
            version,
            begin: |stage| Box::pin(ordinary(stage)),
            cases: in_order(cases::all()),
            passive: passive::rules(),
            judge: passive::judge,
            scenes: SCENES,
            evidence: |stage| Box::pin(evidence(stage)),
        },
        #[cfg(feature = "v2")]
        Version::V2 => Suite {
            version,
            begin: |stage| Box::pin(opens(stage)),
            cases: in_order(v2::cases()),
            passive: v2::passive_rules(),
            judge: v2::judge,
            scenes: v2::SCENES,
            evidence: |stage| Box::pin(evidence(stage)),
        },
    }
}

/// Lets the client go its own way. One that does not ask for version 2 first says nothing about
/// its rules.
#[cfg(feature = "v2")]
async fn opens(stage: &mut Stage) -> Step {
    ordinary(stage).await?;
    match stage.asked_version {
        Some(asked) if asked < 2 => {
            Err(Stop::Inconclusive(format!("the client does not ask for version 2, but for version {asked}")))
        }
        _ => Ok(()),
    }
}

/// Lets the client go its own way with an agent that offers everything, and notes how far it comes.
async fn ordinary(stage: &mut Stage) -> Step {
    let points = [Point::Initialized, Point::Session, Point::Prompt];
    for point in points {
        let Err(stop) = stage.reach(point).await else { continue };
        if stage.greets {
            stage.note_unreached(point, stop.reason());
            continue;
        }
        // A client that has not even begun is not waited for at each point.
        let reason = stage.with_last_words(stop).await;
        for point in points {
            stage.note_unreached(point, reason.clone());
        }
        break;
    }
    (stage.wants_more, stage.sets) = (stage.agent.is_used, stage.agent.is_set);
    stage.pages = !stage.agent.asked_pages.is_empty();
    stage.asked_version = stage.agent.asked_version;
    stage.disconnect().await;
    Ok(())
}

/// Lets the client talk with agents of several kinds: its words are looked at afterwards.
async fn evidence(stage: &mut Stage) -> Step {
    let version = stage.options.version;
    for agent in [Agent::full, Agent::plain] {
        stage.disconnect().await;
        stage.agent = agent(version, &stage.options.cwd);
        // The other conversations count, too.
        let _ = stage.ready().await;
        let _ = stage.finish("end_turn").await;
    }
    stage.disconnect().await;
    let _ = stage.cancelled().await;
    stage.finish("cancelled").await
}
