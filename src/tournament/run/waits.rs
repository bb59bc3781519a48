//! What the coordinator waits for.

use crate::tournament::slots::{Phase, Task};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// A place in the queue of tasks, when there is one; never, if no more tasks are given out.
pub async fn permit(tasks: Option<&mpsc::Sender<Task>>) -> Option<mpsc::Permit<'_, Task>> {
    match tasks {
        Some(tasks) => tasks.reserve().await.ok(),
        None => std::future::pending().await,
    }
}

/// Waits until a moment; forever, if there is none.
pub async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until the caller wants the run to stop sooner than it does now.
pub async fn told_to_stop(interrupt: &mut watch::Receiver<Phase>, now: Phase) {
    let wanted = interrupt.wait_for(|wanted| *wanted > now).await.is_ok();
    if !wanted {
        std::future::pending::<()>().await;
    }
}
