//! `raidmond check`: consistency checks by hand, and what there is to know of all of them.

use super::operate::local_times;
use super::paint::visible;
use super::place::Place;
use super::{Problem, checks, client};
use crate::act::CheckVerb;
use crate::serve::socket::CheckWish;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Start a check of an array
    Start {
        #[command(flatten)]
        order: Order,
        /// Also rewrite what differs; nobody knows then which half was right. Adaptec only, and only where
        /// `[actions] allow` has "verify-fix"
        #[arg(long)]
        fix: bool,
    },
    /// Stop the check of an array; the next one starts anew
    Stop(Order),
    /// Pause the check of an array
    Pause(Order),
    /// Let a paused check go on
    Resume(Order),
    /// Schedules, the next five times of each array, and why not now
    List(checks::Args),
    /// How each check ended, and what it found
    History(checks::Args),
}

#[derive(clap::Args)]
struct Order {
    /// The array: its name in `raidmond status`, the name it was given, or its device
    array: String,
    /// Show the exact command, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Go over objections that cost no data
    #[arg(long)]
    force: bool,
    /// Why, for the audit log
    #[arg(long, default_value = "")]
    comment: String,
    #[command(flatten)]
    place: Place,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    match &args.what {
        What::Start { order, fix: true } => tell(CheckVerb::StartFixing, order),
        What::Start { order, .. } => tell(CheckVerb::Start, order),
        What::Stop(order) => tell(CheckVerb::Stop, order),
        What::Pause(order) => tell(CheckVerb::Pause, order),
        What::Resume(order) => tell(CheckVerb::Resume, order),
        What::List(args) => checks::list(args),
        What::History(args) => checks::history(args),
    }
}

fn tell(verb: CheckVerb, order: &Order) -> Result<u8, Problem> {
    let Order { array, dry_run, force, comment, place } = order;
    let (array, comment) = (array.clone(), comment.clone());
    let wish = CheckWish { verb, array, force: *force, dry_run: *dry_run, comment };
    say!("{}", visible(&local_times(&client::check(&place.socket, &wish)?)));
    Ok(0)
}
