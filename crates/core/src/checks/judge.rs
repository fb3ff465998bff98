//! What is wrong with the checks of an array.

use super::memory::{CheckMemory, CheckResult, Ending};
use crate::diagnose::{Condition, ConditionKind as K, Context, Subject};
use crate::host::Seen;
use crate::model::{Array, Level, ObjectKind};
use jiff::SignedDuration;

/// Refused so often, it is no weather any more.
const REFUSALS: u32 = 3;
/// Times its usual duration, and this much more.
const FAR_LONGER: i32 = 3;
const LONGER_BY: SignedDuration = SignedDuration::from_hours(1);
/// Without any progress.
const STUCK: SignedDuration = SignedDuration::from_hours(6);

pub(crate) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for array in &view.arrays {
        let Some(check) = cx.memory.checks.get(&array.id).cloned() else { continue };
        let about = About { array, label: view.array_label(array), check: &check };
        let found =
            [about.ended(), about.found(), about.refused(), about.overdue(cx), about.slow(cx), about.conflict()];
        for (kind, headline, said) in found.into_iter().flatten() {
            let subject = Subject::object(array.id, ObjectKind::Array, &array.name);
            let condition: Condition = cx.condition(kind, subject, headline).because("checks", said);
            cx.found.push(condition);
        }
    }
}

struct About<'a> {
    array: &'a Seen<Array>,
    label: String,
    check: &'a CheckMemory,
}

/// Kind, headline, evidence.
type Found = Option<(K, String, String)>;

impl About<'_> {
    fn ended(&self) -> Found {
        let last = self.check.last().filter(|r| !r.dealt_with)?;
        let (kind, words) = match last.how {
            Ending::Failed => (K::CheckFailed, "the check failed"),
            Ending::Vanished => (K::CheckVanished, "the check is gone, and nothing says that it came to its end"),
            Ending::Interrupted => (K::CheckInterrupted, "a restart interrupted the check: it is not completed"),
            Ending::Completed | Ending::Aborted => return None,
        };
        let at = last.percent.map(|p| format!(" at {p:.0} %")).unwrap_or_default();
        Some((kind, format!("{}: {words}", self.label), format!("{}{at}, {}", last.how.word(), times(last))))
    }

    /// Judged by the level: mirrors are known to differ where they do not matter.
    fn found(&self) -> Found {
        let last = self.check.last_completed().filter(|r| !r.dealt_with)?;
        let n = last.found.filter(|n| *n > 0)?;
        let mirror = self.array.facts.level.is_some_and(Level::is_mirror);
        let kind = if mirror { K::MirrorMismatches } else { K::Inconsistencies };
        Some((
            kind,
            format!("{}: {n} inconsistencies found by the last check", self.label),
            format!("{n} found, {}", times(last)),
        ))
    }

    fn refused(&self) -> Found {
        let plan = self.check.plan.as_ref().filter(|p| p.refused >= REFUSALS)?;
        let why = plan.refused_why.clone().unwrap_or_default();
        Some((K::CheckFailed, format!("{}: the check could not be started", self.label), why))
    }

    fn overdue(&self, cx: &Context<'_>) -> Found {
        let plan = self.check.plan.as_ref()?;
        if plan.overdue_at.is_none_or(|at| at > cx.now) || self.check.run.is_some() {
            return None;
        }
        let last = self.check.last_completed();
        let said = match last {
            Some(last) => format!("the last one was completed at {}", last.ended_at),
            None => format!("none since {}", plan.since),
        };
        let why = plan.refused_why.as_ref().map(|w| format!("; {w}")).unwrap_or_default();
        Some((K::CheckOverdue, format!("{}: no completed check for two periods", self.label), said + &why))
    }

    fn slow(&self, cx: &Context<'_>) -> Found {
        let run = self.check.run.as_ref().filter(|r| !r.paused && r.seen_at.is_some())?;
        let so_far = cx.now.duration_since(run.started_at);
        let still = cx.now.duration_since(run.moved_at);
        let usual = self.check.usual();
        let words = if usual.is_some_and(|usual| so_far > usual * FAR_LONGER + LONGER_BY) {
            let usual = usual.map(crate::tell::duration).unwrap_or_default();
            format!("the check takes far longer than usual ({usual})")
        } else if run.percent().is_some() && still > STUCK {
            format!("the check makes no progress ({:.0} %)", run.percent().unwrap_or_default())
        } else {
            return None;
        };
        Some((K::CheckSlow, format!("{}: {words}", self.label), format!("running since {}", run.started_at)))
    }

    fn conflict(&self) -> Found {
        let said = self.check.conflict.clone()?;
        Some((K::CheckScheduleConflict, format!("{}: two schedules or none", self.label), said))
    }
}

fn times(result: &CheckResult) -> String {
    match result.duration() {
        Some(took) => format!("at {} after {}", result.ended_at, crate::tell::duration(took)),
        None => format!("at {}", result.ended_at),
    }
}
