//! Where the daemon of this machine lives; the same flags for every verb that talks to it.

use std::path::PathBuf;

#[derive(clap::Args, Debug, Clone)]
pub struct Place {
    /// The daemon's control socket
    #[arg(long, value_name = "PATH", default_value = "/run/raidmond/raidmond.sock", env = "RAIDMOND_SOCKET")]
    pub socket: PathBuf,
    /// The daemon's state directory
    #[arg(long, value_name = "DIR", default_value = "/var/lib/raidmond", env = "RAIDMOND_STATE_DIR")]
    pub state_dir: PathBuf,
}

/// Name of the status file inside the state directory.
pub const STATUS_FILE: &str = "status.json";
