//! After three failures in a row a tool is left alone for 1, 2, 4, … at most 15 minutes: each try of a
//! hanging tool may cost a process that can never be killed.

use std::time::Duration;
use tokio::time::Instant;

const TOLERATED: u32 = 3;
const LONGEST_MINUTES: u64 = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    Closed {
        failures: u32,
    },
    /// Not tried before `retry_in`.
    Open {
        failures: u32,
        retry_in: Duration,
    },
}

#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: u32,
    retry_at: Option<Instant>,
}

impl Breaker {
    pub(super) fn state(&self, now: Instant) -> BreakerState {
        let failures = self.failures;
        match self.retry_at.and_then(|at| at.checked_duration_since(now)) {
            Some(retry_in) if !retry_in.is_zero() => BreakerState::Open { failures, retry_in },
            _ => BreakerState::Closed { failures },
        }
    }

    pub(super) fn record(&mut self, good: bool, now: Instant) {
        self.failures = if good { 0 } else { self.failures.saturating_add(1) };
        self.retry_at = self.failures.checked_sub(TOLERATED).map(|over| now + pause(over));
    }
}

fn pause(over: u32) -> Duration {
    let minutes = 1u64.checked_shl(over).unwrap_or(LONGEST_MINUTES).clamp(1, LONGEST_MINUTES);
    Duration::from_secs(60 * minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_quarter_of_an_hour_and_end_with_success() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        let mut pauses = Vec::new();
        for _ in 0..40 {
            breaker.record(false, now);
            pauses.push(match breaker.state(now) {
                BreakerState::Open { retry_in, .. } => retry_in.as_secs() / 60,
                BreakerState::Closed { .. } => 0,
            });
        }
        assert_eq!(pauses[..8], [0, 0, 1, 2, 4, 8, 15, 15]);
        assert_eq!(pauses[39], 15);
        assert_eq!(breaker.state(now + Duration::from_secs(900)), BreakerState::Closed { failures: 40 });
        breaker.record(true, now);
        assert_eq!(breaker.state(now), BreakerState::Closed { failures: 0 });
    }
}
