//! What a log line and a look say of the same thing is one condition: the look's, with both as evidence.

use super::{Condition, ConditionKind as K};

pub(super) fn absorb(found: &mut Vec<Condition>) {
    let (echoes, mut rest): (Vec<Condition>, Vec<Condition>) =
        std::mem::take(found).into_iter().partition(|c| !looks(c.kind).is_empty());
    for echo in echoes {
        let same = |c: &&mut Condition| c.subject.key == echo.subject.key && looks(echo.kind).contains(&c.kind);
        match rest.iter_mut().find(same) {
            Some(look) => look.evidence.extend(echo.evidence),
            None => rest.push(echo),
        }
    }
    *found = rest;
}

/// The conditions by which a look says what this log condition says.
fn looks(kind: K) -> &'static [K] {
    const ARRAY: &[K] =
        &[K::ArrayFailed, K::ArrayAtRisk, K::ArrayDegraded, K::ArrayRebuilding, K::ArrayReduced, K::ArrayReducedLong];
    match kind {
        K::LogDiskFailed => &[K::DiskFailed, K::SpareFailed, K::DiskUnconfiguredBad, K::DiskMissing],
        K::LogDiskPredictive => &[K::DiskPredictive],
        K::LogArrayDegraded | K::LogArrayFailed => ARRAY,
        _ => &[],
    }
}
