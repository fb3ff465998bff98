//! The command line: one file per verb.

mod client;
mod config;
mod incidents;
mod inspect;
mod notify;
mod operate;
pub mod paint;
pub mod place;
mod problem;
mod replay;
pub mod screen;
mod setup;
mod status;

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
    /// What is wrong, at once, from what the daemon knows
    Status(status::Args),
    /// Open incidents; with a number, one with its evidence
    Incidents(incidents::IncidentsArgs),
    /// What happened, newest first
    Events(incidents::EventsArgs),
    /// Be quiet about an incident for a while
    Ack(operate::AckArgs),
    /// Be quiet while you work on the machine
    Maintenance(operate::MaintenanceArgs),
    /// This is how it should be: a removed card, a smaller array, fewer spares
    Accept(operate::AcceptArgs),
    /// Lost data has been dealt with
    Close(operate::CloseArgs),
    /// Judge captured output of RAID tools, without a daemon
    Inspect(inspect::Args),
    /// Run a recorded story through the whole engine and list the messages that would go out
    Replay(replay::Args),
    /// Try the ways to people
    Notify(notify::Args),
    /// Look at the configuration before it matters
    Config(config::Args),
    /// Say who is told, write the configuration, send a test mail
    Setup(setup::Args),
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
        Verb::Status(args) => status::run(&args),
        Verb::Incidents(args) => incidents::incidents(&args),
        Verb::Events(args) => incidents::events(&args),
        Verb::Ack(args) => operate::ack(&args),
        Verb::Maintenance(args) => operate::maintenance(&args),
        Verb::Accept(args) => operate::accept(&args),
        Verb::Close(args) => operate::close(&args),
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Replay(args) => replay::run(&args),
        Verb::Notify(args) => notify::run(&args),
        Verb::Config(args) => config::run(&args),
        Verb::Setup(args) => setup::run(&args, |_root| Vec::new()),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(problem) => problem.show(),
    }
}
