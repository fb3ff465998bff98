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

/// The closed list of what raidmond may change on a machine. Arrays and disks go by the family's own paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    StartCheck {
        array: String,
    },
    /// A check that rewrites what differs. Only where a person asks for exactly this, never by schedule.
    VerifyFix {
        array: String,
    },
    StopCheck {
        array: String,
    },
    PauseCheck {
        array: String,
    },
    ResumeCheck {
        array: String,
    },
    Locate {
        disk: String,
        on: bool,
    },
}

impl Mutation {
    /// As in `[actions] allow` and in the audit log.
    pub fn word(&self) -> &'static str {
        match self {
            Mutation::StartCheck { .. } => "start check",
            Mutation::VerifyFix { .. } => "verify and fix",
            Mutation::StopCheck { .. } => "stop check",
            Mutation::PauseCheck { .. } => "pause check",
            Mutation::ResumeCheck { .. } => "resume check",
            Mutation::Locate { on: true, .. } => "locate on",
            Mutation::Locate { on: false, .. } => "locate off",
        }
    }

    /// Path of the array or disk.
    pub fn on(&self) -> &str {
        match self {
            Mutation::StartCheck { array }
            | Mutation::VerifyFix { array }
            | Mutation::StopCheck { array }
            | Mutation::PauseCheck { array }
            | Mutation::ResumeCheck { array } => array,
            Mutation::Locate { disk, .. } => disk,
        }
    }
}

impl Mutation {
    /// The path is none of this family's.
    pub(crate) fn not_here(&self) -> String {
        let what = if matches!(self, Mutation::Locate { .. }) { "a disk" } else { "an array" };
        format!("\"{}\" is not the name of {what} for this tool", self.on())
    }
}

/// How a mutation is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Command(Vec<String>),
    /// Words for files of the kernel, one after the other; the first that fails ends it.
    Write(Vec<Write>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    pub path: String,
    pub text: &'static str,
}

impl Act {
    pub fn command(words: &[&str]) -> Self {
        Act::Command(words.iter().map(|w| (*w).to_owned()).collect())
    }
}

/// As a person would type it.
impl std::fmt::Display for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Act::Command(argv) => f.write_str(&argv.join(" ")),
            Act::Write(writes) => {
                let line = |w: &Write| format!("echo {} > {}", w.text, w.path);
                f.write_str(&writes.iter().map(line).collect::<Vec<_>>().join(" && "))
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The tool says that it did what was asked.
    Started,
    /// The tool says that it did not, in its words.
    Refused(String),
    /// Survey before any retry.
    Unknown,
}

pub trait Maintenance: Sync {
    /// What does it, or in words why this family cannot. `tool`: the name it goes by here; empty where
    /// there is none.
    fn command(&self, tool: &str, mutation: &Mutation) -> Result<Act, String>;

    /// Another way to do the same, where the answer says that this version of the tool does not know the
    /// first one.
    fn otherwise(&self, _tool: &str, _mutation: &Mutation, _answer: &Answer) -> Option<Act> {
        None
    }

    /// Of a write: what was written is the standard output, an error of the kernel's the standard error.
    fn judge(&self, mutation: &Mutation, answer: &Answer) -> Verdict;

    /// Whether this family can do it at all, for planning: `Err` says why not.
    fn can(&self, mutation: &Mutation) -> Result<(), String> {
        self.command("", mutation).map(drop)
    }
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
