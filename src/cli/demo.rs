//! `raidmond demo`: all of it, on a simulated host.

use super::Problem;
use super::problem::io_words;
use crate::daemon::Setup;
use crate::demo::{self, Options};
use raidmond_sim::presets::DEMO_SCRIPT;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Args {
    /// Let simulated time run four times as fast
    #[arg(long)]
    fast: bool,
    /// Play these faults instead (one a line: `at 5s disk c0 32:5 fails`)
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// A drill: send the alerts through the channels of this configuration, marked as a drill
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Put the simulated host and raidmond's state here, and keep them
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let script = match &args.script {
        Some(file) => std::fs::read_to_string(file).map_err(|e| {
            Problem::data(format!("cannot read {}: {}", file.display(), io_words(&e)), "check the name and your rights")
        })?,
        None => DEMO_SCRIPT.to_owned(),
    };
    let (dir, temporary) = match &args.dir {
        Some(dir) => (dir.clone(), false),
        None => (std::env::temp_dir().join(format!("raidmond-demo-{}", std::process::id())), true),
    };
    std::fs::create_dir_all(&dir)
        .map_err(|e| Problem::failed(format!("cannot make {}: {}", dir.display(), io_words(&e))))?;
    let drill = args.config.as_deref().map(drill).transpose()?;
    let by_own_channels = drill.is_some();
    let options = Options { speed: if args.fast { 4.0 } else { 1.0 }, drill, dir: dir.clone(), script };
    let runtime = super::run::runtime()?;
    let done = runtime.block_on(demo::run(options));
    // Tools that hang by script must not hold up the end.
    runtime.shutdown_background();
    if temporary {
        // Whatever cannot be removed lies in the temporary directory.
        drop(std::fs::remove_dir_all(&dir));
    }
    let mails = done?;
    if by_own_channels {
        say!("The drill is over: look at what your channels brought.");
    } else {
        say!("The story is over: {mails} mails were sent and accepted.");
    }
    Ok(0)
}

/// The channels of a configuration, on the simulated host.
fn drill(config: &Path) -> Result<Setup, Problem> {
    let (_, mut setup) = super::run::load(config)?;
    if let Some(why) = &setup.nobody_told {
        return Err(Problem::data(format!("nobody would be told: {why}"), "raidmond setup --mail you@example.com"));
    }
    setup.settings.drill = true;
    setup.settings.digest = None;
    setup.poll_every = Duration::from_secs(5);
    setup.deadman = None;
    let names: Vec<&str> = setup.settings.channels.iter().map(|c| c.name.as_str()).collect();
    say!("DRILL: alerts go out through {}, marked as a drill.", names.join(", "));
    Ok(setup)
}
