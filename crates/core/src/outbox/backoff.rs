//! When to try again. Nothing here knows why the attempt failed.

use jiff::{SignedDuration, Timestamp};

/// A channel may be down for days and must still be told afterwards.
pub const GIVE_UP_AFTER: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The longest wait between two attempts, whatever a server asks for.
pub const MAX_DELAY: SignedDuration = SignedDuration::from_hours(6);

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const STEPS: [i64; 8] = [10, 30, 60, 120, 300, 900, 1800, 3600];

/// How long to wait after the given number of failed attempts.
pub fn delay_after(attempts: u32) -> SignedDuration {
    let step = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    STEPS.get(step).map_or(HOUR, |seconds| SignedDuration::from_secs(*seconds))
}

/// Next attempt after a failure, with what the server asked for.
pub(super) fn schedule(now: Timestamp, attempts: u32, refused: bool, asked: Option<SignedDuration>) -> Timestamp {
    let own = if refused { HOUR } else { delay_after(attempts) };
    now + own.max(asked.unwrap_or(SignedDuration::ZERO)).min(MAX_DELAY)
}

/// A time further away than any delay is a clock that was set back: then it is due.
pub(super) fn is_due(at: Timestamp, now: Timestamp) -> bool {
    at <= now || at > now + MAX_DELAY
}
