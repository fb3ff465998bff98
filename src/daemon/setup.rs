//! What the daemon needs of the configuration, ready to use.

use crate::notify::{Channel, Deadman};
use raidmond_core::incident::Settings;
use raidmond_core::observe::{LogKind, UserRule};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct LogSource {
    /// Short name in messages: "megaserv.log".
    pub name: String,
    pub path: PathBuf,
    pub kind: LogKind,
    pub rules: Vec<UserRule>,
    /// Watched because it is there, not because it was configured: its absence is no blindness.
    pub found: bool,
}

#[derive(Clone)]
pub struct Setup {
    pub settings: Settings,
    pub channels: Vec<Arc<Channel>>,
    /// Channels that cannot work as configured: (name, why).
    pub broken: Vec<(String, String)>,
    pub nobody_told: Option<String>,
    pub logs: Vec<LogSource>,
    pub deadman: Option<Arc<Deadman>>,
    pub deadman_every: Duration,
    pub poll_every: Duration,
    pub tool_dirs: Vec<PathBuf>,
    /// Adapters not to use.
    pub disabled: Vec<String>,
    pub consume_alarms: bool,
    /// PCI addresses of controllers that are none of raidmond's business.
    pub ignored: Vec<String>,
}
