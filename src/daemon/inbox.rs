//! What the loop hears, from whoever.

use super::WatchEvent;
use crate::act::Done;
use crate::discover::Inventory;
use crate::notify::pump::Report;
use crate::serve::socket::{CheckWish, Request};
use raidmond_core::diagnose::MonitorFact;
use raidmond_core::host::SourceKey;
use raidmond_core::survey::Reading;
use std::rc::Rc;
use tokio::sync::mpsc;
use tokio::time::Instant;

pub enum Heard {
    Reading {
        key: SourceKey,
        reading: Box<Reading>,
        /// When its first question was asked.
        begun: Instant,
    },
    Log(Box<WatchEvent>),
    /// What the kernel shows on this machine.
    Devices(Rc<Inventory>),
    Monitor {
        key: String,
        fact: Option<MonitorFact>,
    },
    Wish(Request),
    Check(Request<CheckWish>),
    /// An order has been carried out, or not.
    Done(Box<Done>),
    Delivered(Box<Report>),
    /// Every source has been asked once.
    FirstRoundDone,
}

/// A sender of wishes that ends in the inbox.
pub fn wishes<W: 'static>(
    inbox: mpsc::Sender<Heard>,
    heard: impl Fn(Request<W>) -> Heard + 'static,
) -> mpsc::Sender<Request<W>> {
    let (send, mut requests) = mpsc::channel(8);
    tokio::task::spawn_local(async move {
        while let Some(request) = requests.recv().await {
            if inbox.send(heard(request)).await.is_err() {
                break;
            }
        }
    });
    send
}

pub async fn deliveries(mut reports: mpsc::UnboundedReceiver<Report>, inbox: mpsc::Sender<Heard>) {
    while let Some(report) = reports.recv().await {
        if inbox.send(Heard::Delivered(Box::new(report))).await.is_err() {
            break;
        }
    }
}
