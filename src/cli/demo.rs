//! `raidmond demo`: all of it, on a simulated host.

use super::Problem;
use crate::demo::{self, Options};
use raidmond_sim::presets::DEMO_SCRIPT;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Let simulated time run four times as fast
    #[arg(long)]
    fast: bool,
    /// Play these faults instead (one a line: `at 5s disk c0 32:5 fails`)
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Put the simulated host and raidmond's state here, and keep them
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let script = match &args.script {
        Some(file) => std::fs::read_to_string(file).map_err(|e| {
            Problem::data(format!("cannot read {}: {e}", file.display()), "check the name and your rights")
        })?,
        None => DEMO_SCRIPT.to_owned(),
    };
    let (dir, temporary) = match &args.dir {
        Some(dir) => (dir.clone(), false),
        None => (std::env::temp_dir().join(format!("raidmond-demo-{}", std::process::id())), true),
    };
    std::fs::create_dir_all(&dir).map_err(|e| Problem::failed(format!("cannot make {}: {e}", dir.display())))?;
    let options = Options { speed: if args.fast { 4.0 } else { 1.0 }, drill: None, dir: dir.clone(), script };
    let runtime = super::run::runtime()?;
    let done = runtime.block_on(demo::run(options));
    // Tools that hang by script must not hold up the end.
    runtime.shutdown_background();
    if temporary {
        // Whatever cannot be removed lies in the temporary directory.
        drop(std::fs::remove_dir_all(&dir));
    }
    let mails = done?;
    println!("The story is over: {mails} mails were sent and accepted.");
    Ok(0)
}
