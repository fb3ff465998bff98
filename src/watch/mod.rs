//! What the machine says by itself: log files, the kernel's messages, and that md arrays changed.
//!
//! [`Files`] and [`kernel`] send [`Event`]s over a bounded channel; a slow owner slows the readers, it
//! loses nothing. Every event that moves a source forward carries the [`SourceCursor`] after it. The owner
//! commits that cursor together with what it made of the lines and hands it back after a restart: then
//! every line is handled exactly once.
//!
//! ```no_run
//! # use raidmond::watch::{self, Event};
//! # async fn example() {
//! let (send, mut events) = tokio::sync::mpsc::channel(watch::EVENTS_IN_FLIGHT);
//! let files = watch::Files::new("/", send.clone());
//! files.add("megaserv.log", "/var/log/megaserv.log", None);
//! watch::kernel("/", "kernel", None, send);
//! while let Some(event) = events.recv().await { /* handle, commit with the event's cursor */ }
//! # }
//! ```
//!
//! All paths are taken under a root directory. Dropping [`Files`] or the receiver ends the readers. Not
//! done here: matching lines, judging silence, reading dates. A blind source is told when that begins
//! ([`Event::Blind`]) and when it ends ([`Event::Sees`]); how long to bear it is the owner's decision.

mod files;
mod hints;
mod kmsg;
mod look;
mod md;
mod open;

pub use files::Files;
pub use kmsg::{boot_id, kernel};
pub use md::md;

use raidmond_core::tail::{Cursor, Gap, KernelRecord, Line};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A good capacity for the channel; each event holds at most about 300 KiB.
pub const EVENTS_IN_FLIGHT: usize = 4;

/// Where a source was read to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceCursor {
    File(Cursor),
    /// The last message seen, in this boot.
    Kernel {
        boot: String,
        sequence: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// `lines` may be empty: then only the cursor moved.
    Lines {
        source: String,
        lines: Vec<Line>,
        cursor: SourceCursor,
    },
    Records {
        source: String,
        records: Vec<KernelRecord>,
        cursor: SourceCursor,
    },
    Gap {
        source: String,
        gap: Gap,
        cursor: SourceCursor,
    },
    Blind {
        source: String,
        why: Blindness,
    },
    /// The source can be read: at first contact and when blindness ends.
    Sees {
        source: String,
    },
}

/// Why nothing can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blindness {
    Absent,
    DirectoryGone,
    Denied,
    /// In the system's words.
    Unreadable(String),
}

impl From<std::io::Error> for Blindness {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Blindness::Absent,
            std::io::ErrorKind::PermissionDenied => Blindness::Denied,
            _ => Blindness::Unreadable(crate::cli::problem::io_words(&error)),
        }
    }
}

/// `path`, absolute on the machine watched, below `root`.
fn under(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
