//! `raidmond run`: the daemon.

use super::Problem;
use super::problem::io_words;
use crate::config::{Config, ConfigErrors};
use crate::daemon::{self, Places, Setup};
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;

#[derive(clap::Args)]
pub struct Args {
    /// Configuration file; everything in it is optional, and so is the file
    #[arg(long, value_name = "FILE", default_value = "/etc/raidmond/raidmond.toml")]
    pub config: PathBuf,
    /// Read the machine under this directory (a simulated host)
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
    /// Instead of the configuration's
    #[arg(long, value_name = "DIR", env = "RAIDMOND_STATE_DIR")]
    pub state_dir: Option<PathBuf>,
    /// Locks and working directories of tools
    #[arg(long, value_name = "DIR", default_value = "/run/raidmond")]
    pub run_dir: PathBuf,
    /// Instead of the configuration's
    #[arg(long, value_name = "PATH", env = "RAIDMOND_SOCKET")]
    pub socket: Option<PathBuf>,
}

/// One thread for everything that waits; what may block runs in threads of its own.
pub fn runtime() -> Result<Runtime, Problem> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|e| Problem::failed(format!("cannot start: {}", io_words(&e))))
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    if !args.root.is_dir() {
        let help = "--root takes the directory that stands for / of the machine";
        return Err(Problem::usage(format!("{} is not a directory", args.root.display()), help));
    }
    super::config::must_be_there(&args.config)?;
    crate::journal::start();
    let (config, setup) = load(&args.config)?;
    let places = Places {
        root: args.root.clone(),
        state_dir: args.state_dir.clone().unwrap_or(config.state_dir),
        run_dir: args.run_dir.clone(),
        socket: args.socket.clone().unwrap_or(config.socket),
    };
    if let Some(why) = &setup.nobody_told {
        tracing::warn!("NOBODY WILL BE TOLD: {why}");
    }
    let path = args.config.clone();
    let reload: daemon::Reload = Box::new(move || {
        super::config::must_be_there(&path).map_err(|problem| problem.what)?;
        Setup::load(&path).map(|(_, setup)| setup).map_err(|e| headlines(&e))
    });
    let runtime = runtime()?;
    let ended = runtime.block_on(daemon::run(places, setup, reload));
    // A tool that cannot be killed must not hold up the end.
    runtime.shutdown_background();
    ended.map(|()| 0)
}

pub fn load(path: &Path) -> Result<(Config, Setup), Problem> {
    Setup::load(path).map_err(|errors| super::config::cannot_use(&errors))
}

fn headlines(errors: &ConfigErrors) -> String {
    errors.headlines().collect::<Vec<_>>().join("; ")
}
