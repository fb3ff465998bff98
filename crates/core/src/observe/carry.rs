//! What one line leaves for the next: `last message repeated`, suppressed callbacks, lines that
//! speak of the device of the line above.

use super::{Observation, Rule};
use std::collections::BTreeMap;

/// A line further away than this is another story.
const NEAR_LINES: u64 = 12;

/// Goes with one log source from buffer to buffer.
#[derive(Debug, Clone, Default)]
pub struct Carry {
    line: u64,
    /// What the line just before gave.
    previous: Option<Observation>,
    families: BTreeMap<&'static str, (u64, Observation)>,
}

impl Carry {
    pub(super) fn next_line(&mut self) {
        self.line += 1;
    }

    pub(super) fn forget_previous(&mut self) {
        if self.previous.is_some() {
            self.previous = None;
        }
    }

    pub(super) fn remember(&mut self, rule: Option<&Rule>, seen: &Observation) {
        self.previous = Some(seen.clone());
        if let Some(rule) = rule {
            self.families.insert(rule.family(), (self.line, seen.clone()));
        }
    }

    /// The line above once more, `count` times.
    pub(super) fn repeated(&self, count: u64) -> Option<Observation> {
        self.previous.as_ref().map(|seen| Observation { count, ..seen.clone() })
    }

    /// Gives a line without an object the one its family just spoke of.
    pub(super) fn complete(&self, rule: &Rule, seen: &mut Observation) {
        if !rule.inherits || !seen.about.aliases.is_empty() {
            return;
        }
        if let Some((line, before)) = self.families.get(rule.family())
            && self.line.saturating_sub(*line) <= NEAR_LINES
        {
            seen.about.aliases.clone_from(&before.about.aliases);
            seen.about.path = before.about.path.clone();
        }
    }

    /// `n callbacks suppressed`: as many more of what that call site printed last, of whichever device.
    pub(super) fn suppressed(&self, seen: Observation) -> Observation {
        let family = match seen.about.field("fn") {
            "blk_print_req_error" | "print_req_error" | "blk_update_request" | "end_request" => "blk",
            "buffer_io_error" => "buf",
            _ => return seen,
        };
        let Some((_, before)) = self.families.get(family) else { return seen };
        Observation { count: seen.count, said: seen.said, at: seen.at, rule: seen.rule, ..before.clone() }
    }
}
