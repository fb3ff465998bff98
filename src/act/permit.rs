//! The configuration's word on what may be done: `[actions] allow`, and `[checks] run` for the schedule.

use super::By;
use raidmond_adapters::Mutation;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Allowed {
    /// Start, stop, pause and resume a check.
    Check,
    /// A check that rewrites what differs.
    VerifyFix,
    Locate,
}

impl Allowed {
    pub const ALL: [Allowed; 3] = [Allowed::Check, Allowed::VerifyFix, Allowed::Locate];

    pub fn word(self) -> &'static str {
        match self {
            Allowed::Check => "check",
            Allowed::VerifyFix => "verify-fix",
            Allowed::Locate => "locate",
        }
    }

    fn of(mutation: &Mutation) -> Self {
        match mutation {
            Mutation::StartCheck { .. }
            | Mutation::StopCheck { .. }
            | Mutation::PauseCheck { .. }
            | Mutation::ResumeCheck { .. } => Allowed::Check,
            Mutation::VerifyFix { .. } => Allowed::VerifyFix,
            Mutation::Locate { .. } => Allowed::Locate,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permits {
    pub allow: Vec<Allowed>,
    /// `[checks] run`: whether anything is ever done without a person asking for it.
    pub scheduled: bool,
}

impl Default for Permits {
    /// By hand what is harmless; by schedule nothing.
    fn default() -> Self {
        Self { allow: vec![Allowed::Check, Allowed::Locate], scheduled: false }
    }
}

impl Permits {
    /// `Err`: why not, and what to write.
    pub fn ask(&self, by: &By, mutation: &Mutation) -> Result<(), String> {
        let wanted = Allowed::of(mutation);
        if !self.allow.contains(&wanted) {
            let word = wanted.word();
            return Err(format!("the configuration does not allow it; add \"{word}\" to `allow` in [actions]"));
        }
        match (by, wanted) {
            (By::Person(_), _) => Ok(()),
            (By::Schedule, Allowed::VerifyFix) => Err("nothing is ever rewritten by schedule".to_owned()),
            (By::Schedule, _) if self.scheduled => Ok(()),
            (By::Schedule, _) => Err("nothing is done by schedule before `run = true` stands in [checks]".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Mutation; 6] {
        let array = || "c0/v0".to_owned();
        [
            Mutation::StartCheck { array: array() },
            Mutation::StopCheck { array: array() },
            Mutation::PauseCheck { array: array() },
            Mutation::ResumeCheck { array: array() },
            Mutation::VerifyFix { array: array() },
            Mutation::Locate { disk: "c0/32:1".to_owned(), on: true },
        ]
    }

    fn allowed(permits: &Permits, by: &By) -> Vec<&'static str> {
        all().iter().filter(|m| permits.ask(by, m).is_ok()).map(Mutation::word).collect()
    }

    #[test]
    fn nothing_happens_by_schedule_until_one_line_says_so() {
        let mut permits = Permits::default();
        assert_eq!(allowed(&permits, &By::Schedule), Vec::<&str>::new());
        permits.scheduled = true;
        assert_eq!(
            allowed(&permits, &By::Schedule),
            ["start check", "stop check", "pause check", "resume check", "locate on"]
        );
        permits.allow = Allowed::ALL.to_vec();
        assert!(!allowed(&permits, &By::Schedule).contains(&"verify and fix"));
    }

    #[test]
    fn by_hand_what_is_harmless_and_no_more_than_is_allowed() {
        let root = By::Person("root".to_owned());
        let usual = Permits::default();
        assert!(!allowed(&usual, &root).contains(&"verify and fix"));
        assert_eq!(allowed(&usual, &root).len(), 5);
        let nothing = Permits { allow: Vec::new(), scheduled: true };
        assert_eq!(allowed(&nothing, &root), Vec::<&str>::new());
        let why = nothing.ask(&root, &all()[0]).unwrap_err();
        assert!(why.contains("add \"check\" to `allow` in [actions]"), "{why}");
    }
}
