//! The seam every family stands behind.

use raidmond_core::survey::{Answer, AnswerKind, Asked, Heard, Known, Query, Reading};

/// A vendor program an adapter can talk to.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Names it goes by, best first (`storcli64`, `storcli`, `perccli64`).
    pub names: &'static [&'static str],
    /// Directories it is usually put in, beside PATH.
    pub paths: &'static [&'static str],
    /// Where an admin gets it, for doctor and docs.
    pub how_to_get: &'static str,
}

/// A word of the vendor's and what raidmond makes of it. Feeds the parser, the docs and the tests.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// What the word is said of: "disk state", "array state", "battery state", …
    pub of: &'static str,
    pub word: &'static str,
    pub means: Said,
}

/// The typed meaning of a vendor word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Array(raidmond_core::model::ArrayState),
    Disk(raidmond_core::model::DiskState),
    Cache(raidmond_core::model::CacheState),
    Part(raidmond_core::model::PartState),
    Controller(raidmond_core::model::ControllerState),
    Task(raidmond_core::model::TaskKind, raidmond_core::model::TaskState),
    Finding(raidmond_core::model::FindingKind),
    /// The disk calls itself well, or failing.
    Health(bool),
    Sign(raidmond_core::observe::Sign),
}

#[derive(Debug)]
pub enum Step {
    /// Ask these, then call `step` again with the answers. `so_far` is what stands if asking fails.
    Ask {
        queries: Vec<Query>,
        so_far: Box<Reading>,
    },
    Done(Box<Reading>),
}

impl Step {
    /// The usual step: asks what was not asked yet; done when nothing is left to ask.
    pub fn of(reading: Box<Reading>, mut queries: Vec<Query>, heard: &Heard) -> Self {
        queries.retain(|q| !heard.has_asked(&q.asked));
        match queries.is_empty() {
            true => Step::Done(reading),
            false => Step::Ask { queries, so_far: reading },
        }
    }
}

/// The closed list of what raidmond may change on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    StartCheck { array: String },
    StopCheck { array: String },
    Locate { disk: String, on: bool },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Started,
    Refused(String),
    /// Survey before any retry.
    Unknown,
}

pub trait Maintenance: Sync {
    /// The command that does it, or `None` where this family cannot.
    fn command(&self, tool: &str, mutation: &Mutation) -> Option<Vec<String>>;
    fn judge(&self, mutation: &Mutation, answer: &Answer) -> Verdict;
}

pub trait Adapter: Sync {
    /// Name of the adapter, its folder and its docs page: "storcli".
    fn family(&self) -> &'static str;

    fn tools(&self) -> &'static [Tool];

    /// Kernel drivers whose controllers this adapter reads: "megaraid_sas".
    fn drivers(&self) -> &'static [&'static str];

    /// A path whose presence alone calls for this adapter, where no controller does: `/proc/mdstat`. Its
    /// discovery then reads everything.
    fn watches_without_card(&self) -> Option<&'static str> {
        None
    }

    /// Which of this adapter's questions does this answer? By the command where it is given, else by
    /// the head of the text. `None`: not ours. Must also say yes to refusals and empty answers of our
    /// own commands, so that they are judged as failures and not passed over.
    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind>;

    /// What to ask next. Pure: same known, same answers, same step.
    fn step(&self, known: &Known, heard: &Heard) -> Step;

    fn vocabulary(&self) -> &'static [Term];

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        None
    }

    /// It asks about disks that other families listed, and is asked after them.
    fn follows_others(&self) -> bool {
        false
    }

    /// Its tool refuses to run twice, whichever controllers are asked about.
    fn asks_one_at_a_time(&self) -> bool {
        false
    }
}
