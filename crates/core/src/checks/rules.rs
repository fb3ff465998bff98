//! What the admin wants: when, on which arrays, and whose schedule counts.

use crate::host::{Seen, View};
use crate::model::Array;
use crate::schedule::Schedule;
use jiff::SignedDuration;
use std::sync::Arc;

/// Whose schedule counts for an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// raidmond starts checks, and nobody else is to.
    Raidmond,
    /// The firmware or the distribution does; raidmond sees to it that they happen.
    External,
    /// Nobody needs to.
    Off,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Nothing is started before this is true.
    pub run: bool,
    pub schedule: Schedule,
    /// Each host begins somewhere in this time after the schedule's, always at the same place.
    pub spread: SignedDuration,
    /// How long after its time a check may begin and go on; always, where there is none.
    pub window: Option<SignedDuration>,
    pub who: Who,
}

/// Which arrays a block is for; what is not said fits all. `*` at the end fits any rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    pub host: Option<String>,
    pub family: Option<String>,
    pub controller: Option<String>,
    pub array: Option<String>,
}

/// `[[checks.for]]`: what it does not say stays as it was.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    pub selector: Selector,
    pub run: Option<bool>,
    pub schedule: Option<Schedule>,
    pub spread: Option<SignedDuration>,
    pub window: Option<SignedDuration>,
    pub who: Option<Who>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Checks {
    pub rules: Rules,
    pub blocks: Vec<Block>,
    /// Checks at once on this host; one on each controller in any case.
    pub at_once: usize,
    /// What was read longer ago than this is too old to start anything.
    pub stale_after: SignedDuration,
}

/// Whether a family can do what is wanted: (family, what) → or why not.
pub type Ability = Arc<dyn Fn(&str, super::Verb) -> Result<(), String> + Send + Sync>;

impl Default for Checks {
    fn default() -> Self {
        Self { rules: Rules::default(), blocks: Vec::new(), at_once: 1, stale_after: SignedDuration::from_mins(15) }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            run: false,
            schedule: Schedule::usual(),
            spread: SignedDuration::from_hours(6),
            window: None,
            who: Who::Raidmond,
        }
    }
}

impl Checks {
    /// Whether anything is ever started.
    pub fn runs(&self) -> bool {
        self.rules.run || self.blocks.iter().any(|b| b.run == Some(true))
    }

    /// The blocks are taken in their order: the last that fits and says something wins.
    pub fn of(&self, host: &str, view: &View, array: &Seen<Array>) -> Rules {
        let mut rules = self.rules.clone();
        for block in self.blocks.iter().filter(|b| b.selector.fits(host, view, array)) {
            rules.run = block.run.unwrap_or(rules.run);
            rules.schedule = block.schedule.clone().unwrap_or(rules.schedule);
            rules.spread = block.spread.unwrap_or(rules.spread);
            rules.window = block.window.or(rules.window);
            rules.who = block.who.unwrap_or(rules.who);
        }
        rules
    }
}

impl Selector {
    fn fits(&self, host: &str, view: &View, array: &Seen<Array>) -> bool {
        let controller = array.parent.and_then(|id| view.controller(id));
        let serial = controller.and_then(|c| c.facts.serial.as_deref());
        let device = array.facts.device.as_deref().map(|d| d.trim_start_matches("/dev/"));
        let any = |wanted: &Option<String>, names: &[Option<&str>]| {
            wanted.as_deref().is_none_or(|w| names.iter().flatten().any(|n| like(w, n)))
        };
        let families: Vec<Option<&str>> = array.sources.iter().map(|f| Some(f.as_str())).collect();
        any(&self.host, &[Some(host)])
            && any(&self.family, &families)
            && any(&self.controller, &[controller.map(|c| c.name.as_str()), serial])
            && any(
                &self.array,
                &[Some(&array.name), array.facts.name.as_deref(), device, array.facts.device.as_deref()],
            )
    }
}

fn like(wanted: &str, name: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => wanted == name,
    }
}

/// Where in `spread` this host begins: the same place for ever, in whole minutes (FNV-1a of its name).
pub(super) fn offset(host: &str, spread: SignedDuration) -> SignedDuration {
    let hash = host.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    // The low bits of short names are alike.
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let minutes = u64::try_from(spread.as_mins()).unwrap_or(0);
    let minute = if minutes == 0 { 0 } else { mixed % minutes };
    SignedDuration::from_mins(i64::try_from(minute).unwrap_or(0))
}
