//! What raidmond does to a machine: an order is allowed, planned, written down, and only then carried out.
//!
//! [`choose`] finds the array and the tool, `permit` is the configuration's word, [`carry`] writes the audit
//! row, acts and judges. Whether it is *wise* to check an array now is the planner's business; what must never
//! happen whoever asks (stopping a rebuild by stopping a "check") is refused in [`choose`].

pub mod carry;
pub mod choose;
mod permit;

pub use permit::{Allowed, Permits};

use raidmond_adapters::{Act, Mutation, Verdict, registry};
use raidmond_core::checks::Verb;
use raidmond_core::identity::ObjectId;
use raidmond_core::model::Space;
use raidmond_core::survey::ToolFound;
use serde::{Deserialize, Serialize};

/// What can be wanted of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckVerb {
    Start,
    /// Start, and rewrite what differs.
    StartFixing,
    Stop,
    Pause,
    Resume,
}

impl CheckVerb {
    pub fn word(self) -> &'static str {
        match self {
            CheckVerb::Start | CheckVerb::StartFixing => "start",
            CheckVerb::Stop => "stop",
            CheckVerb::Pause => "pause",
            CheckVerb::Resume => "resume",
        }
    }

    pub fn mutation(self, array: String) -> Mutation {
        match self {
            CheckVerb::Start => Mutation::StartCheck { array },
            CheckVerb::StartFixing => Mutation::VerifyFix { array },
            CheckVerb::Stop => Mutation::StopCheck { array },
            CheckVerb::Pause => Mutation::PauseCheck { array },
            CheckVerb::Resume => Mutation::ResumeCheck { array },
        }
    }
}

/// Whether a family can do it at all, for planning.
pub fn able(family: &str, verb: Verb) -> Result<(), String> {
    let maintenance = registry::by_family(family).and_then(|a| a.maintenance());
    let maintenance = maintenance.ok_or_else(|| format!("raidmond cannot start checks through {family}"))?;
    let mut why = format!("raidmond cannot {} checks through {family}", verb.word());
    // Families name arrays in one of these ways, and say so of the others.
    for name in ["c0/v0", "c0/u0", "md0"] {
        match maintenance.can(&CheckVerb::from(verb).mutation(name.to_owned())) {
            Ok(()) => return Ok(()),
            Err(said) if !said.contains("is not the name of") => why = said,
            Err(_) => {}
        }
    }
    Err(why)
}

impl From<Verb> for CheckVerb {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Start => CheckVerb::Start,
            Verb::Pause => CheckVerb::Pause,
            Verb::Resume => CheckVerb::Resume,
            Verb::Stop => CheckVerb::Stop,
        }
    }
}

/// On whose word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// "root", "alice (uid 1000)".
    Person(String),
    Schedule,
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            By::Person(name) => f.write_str(name),
            By::Schedule => f.write_str("schedule"),
        }
    }
}

/// An order that may be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub by: By,
    /// "by hand", "Sat 01:00 every 4 weeks".
    pub why: String,
    /// The array or disk.
    pub object: ObjectId,
    /// As people call it: "c0/v0", "3ware:c0/u0".
    pub name: String,
    pub family: String,
    pub space: Space,
    pub tool: Option<ToolFound>,
    pub mutation: Mutation,
    pub act: Act,
}

impl Order {
    /// The source that reads this object: "c0", or "" where there is no controller.
    pub fn about(&self) -> String {
        match self.mutation.on().split_once('/') {
            Some((controller, _)) => controller.to_owned(),
            None => String::new(),
        }
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub order: Order,
    pub verdict: Verdict,
}

impl Done {
    /// For the one who asked.
    pub fn words(&self) -> String {
        let what = format!("{} {}", self.order.mutation.word(), self.order.name);
        match &self.verdict {
            Verdict::Started => format!("{what}: done ({})", self.order.act),
            Verdict::Refused(why) => format!("{what} was refused: {why}"),
            Verdict::Unknown => format!(
                "{what}: it is not known what became of it ({}); raidmond looks at the controller before anything else is done to it",
                self.order.act
            ),
        }
    }
}
