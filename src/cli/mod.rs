//! The command line: one file per verb.

pub mod doctor;
mod inspect;
pub mod paint;
pub mod probe;
mod problem;
pub mod screen;

pub use problem::Problem;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Usage errors (sysexits EX_USAGE) and unusable input (EX_DATAERR).
pub const EXIT_USAGE: u8 = 64;
pub const EXIT_DATA: u8 = 65;

#[derive(Parser)]
#[command(
    name = "raidmond",
    version,
    about = "Watches every RAID of this machine and tells you when something breaks."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Judge captured output of RAID tools, without a daemon
    Inspect(inspect::Args),
    /// What is watched by what, every blind spot, missing rights: with the next step for each
    Doctor(doctor::Args),
    /// Ask every RAID tool here once, and show what raidmond makes of the answers
    Probe(probe::Args),
}

pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let help = !error.use_stderr();
            // Nothing is left to do when the terminal is gone.
            let _ = error.print();
            return ExitCode::from(if help { 0 } else { EXIT_USAGE });
        }
    };
    let done = match cli.verb {
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Doctor(args) => doctor::run(&args, &doctor::Context::default()),
        Verb::Probe(args) => probe::run(&args, &[]),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(problem) => problem.show(),
    }
}
