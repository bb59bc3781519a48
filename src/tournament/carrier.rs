//! The interface that gives the pairs of a run to other machines.

use super::slots::{Order, Phase, Report};
use std::fmt::Debug;
use tokio::sync::{mpsc, watch};

/// The ends of the queues between those who give the work, a carrier, and the slots of this machine.
#[derive(Debug)]
pub struct CarrierLines {
    /// What is to be done. When it is closed, nothing more follows.
    pub orders: mpsc::Receiver<Order>,
    /// Where everything is reported. When it is closed, all is done.
    pub reports: mpsc::Sender<Report>,
    /// What the slots of this machine are to do, such as examinations.
    pub local: mpsc::Sender<Order>,
    /// What they report. They end once `local` is closed, or when they are told to stop.
    pub local_reports: mpsc::Receiver<Report>,
    /// When to stop.
    pub phase: watch::Receiver<Phase>,
}

/// Has the pairs of a run played elsewhere. The run keeps its journal and decides everything itself.
/// A carrier takes no more orders than are played in some seconds: a withdrawal may make them needless.
pub trait Carrier: Debug + Sync {
    /// Passes orders on, and reports what becomes of them, until nothing more follows or the run
    /// stops. It has a thread of its own.
    fn carry(&self, lines: CarrierLines);

    /// The machines that got no more work, and why. Hostile text.
    fn put_aside(&self) -> Vec<(String, String)>;
}
