//! The command line: one file per verb.

mod audit;
mod check;
pub mod checks;
mod client;
mod config;
mod demo;
pub mod doctor;
mod history;
mod incidents;
mod inspect;
mod logs;
mod metrics;
mod nagios;
mod notify;
mod operate;
pub mod paint;
pub mod place;
pub mod probe;
pub mod problem;
mod replay;
mod run;
pub mod screen;
mod setup;
mod status;

pub use operate::local_times;
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
    /// The daemon
    Run(run::Args),
    /// See all of it on a simulated host
    Demo(demo::Args),
    /// What is wrong, at once, from what the daemon knows
    Status(status::Args),
    /// Open incidents; with a number, one with its evidence
    Incidents(incidents::IncidentsArgs),
    /// What happened, newest first
    Events(incidents::EventsArgs),
    /// How a disk, array, controller or battery developed
    History(history::Args),
    /// Be quiet about an incident for a while
    Ack(operate::AckArgs),
    /// Be quiet while you work on the machine
    Maintenance(operate::MaintenanceArgs),
    /// This is how it should be: a removed card, a smaller array, fewer spares
    Accept(operate::AcceptArgs),
    /// Lost data has been dealt with
    Close(operate::CloseArgs),
    /// Start, stop, pause or resume the consistency check of an array
    Check(check::Args),
    /// What was done to arrays and disks, by whom and why
    Audit(audit::Args),
    /// Judge captured output of RAID tools, without a daemon
    Inspect(inspect::Args),
    /// What is watched by what, every blind spot, missing rights: with the next step for each
    Doctor(doctor::Args),
    /// Ask every RAID tool here once, and show what raidmond makes of the answers
    Probe(probe::Args),
    /// What raidmond makes of log lines
    Logs(logs::Args),
    /// Answer as a Nagios plugin, at once, from what the daemon knows
    Nagios(nagios::Args),
    /// The numbers Prometheus reads, once
    Metrics(metrics::Args),
    /// Run a recorded story through the whole engine and list the messages that would go out
    Replay(replay::Args),
    /// Try the ways to people
    Notify(notify::Args),
    /// Look at the configuration before it matters
    Config(config::Args),
    /// Say who is told, write the configuration, send a test mail
    Setup(setup::Args),
    /// One of the simulated host's tools
    #[command(name = "sim-tool", hide = true)]
    SimTool {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// A monitoring system reads 64 as anything; its own word for "I cannot say" is 3.
fn usage_code() -> u8 {
    let for_nagios = std::env::args_os().nth(1).is_some_and(|verb| verb == "nagios");
    if for_nagios { nagios::UNKNOWN } else { EXIT_USAGE }
}

pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let help = !error.use_stderr();
            // Nothing is left to do when the terminal is gone.
            let _ = error.print();
            return ExitCode::from(if help { 0 } else { usage_code() });
        }
    };
    let done = match cli.verb {
        Verb::Run(args) => run::run(&args),
        Verb::Demo(args) => demo::run(&args),
        Verb::Status(args) => status::run(&args),
        Verb::Incidents(args) => incidents::incidents(&args),
        Verb::Events(args) => incidents::events(&args),
        Verb::History(args) => history::run(&args),
        Verb::Ack(args) => operate::ack(&args),
        Verb::Maintenance(args) => operate::maintenance(&args),
        Verb::Accept(args) => operate::accept(&args),
        Verb::Close(args) => operate::close(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Audit(args) => audit::run(&args),
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Probe(args) => probe::run(&args, &[]),
        Verb::Logs(args) => logs::run(&args),
        Verb::Nagios(args) => nagios::run(&args),
        Verb::Metrics(args) => metrics::run(&args),
        Verb::Replay(args) => replay::run(&args),
        Verb::Notify(args) => notify::run(&args),
        Verb::Config(args) => config::run(&args),
        Verb::Setup(args) => setup::run(&args, doctor::found),
        Verb::SimTool { words } => sim_tool(&words),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(problem) => problem.show(),
    }
}

fn sim_tool(words: &[String]) -> Result<u8, Problem> {
    let code = raidmond_sim::tools::run(words);
    let code = code.ok_or_else(|| Problem::usage("no such simulated tool", "--world FILE --as NAME -- ARGUMENTS"))?;
    Ok(u8::try_from(code).unwrap_or(1))
}
