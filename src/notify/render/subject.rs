//! The subject line: whose, how bad, what. At most 78 characters.

use jiff::SignedDuration;
use raidmond_core::notice::{Notice, NoticeEvent};

const LONGEST: usize = 78;
const LONGEST_HOST: usize = 30;

/// `[raidmond db3] CRITICAL: RAID 5 data degraded, disk 32:5 failed`
pub fn subject(notice: &Notice) -> String {
    let notice = super::clean(notice);
    let drill = if notice.drill { "DRILL " } else { "" };
    let host = shorten(&notice.host, LONGEST_HOST);
    shorten(&format!("[raidmond {host}] {drill}{}: {}", word(&notice), notice.headline), LONGEST)
}

/// The verdict in capitals; for a reminder, how long it has been so.
pub(super) fn word(notice: &Notice) -> String {
    match (notice.event, &notice.thread) {
        (NoticeEvent::Resolved, _) => "RESOLVED".to_owned(),
        (NoticeEvent::Test, _) => "TEST".to_owned(),
        (NoticeEvent::Reminder, Some(thread)) => {
            format!("REMINDER {}", age(notice.at.duration_since(thread.opened_at)))
        }
        (NoticeEvent::Reminder, None) => "REMINDER".to_owned(),
        _ => notice.severity.word().to_uppercase(),
    }
}

fn age(age: SignedDuration) -> String {
    match (age.as_hours() / 24, age.as_hours(), age.as_mins()) {
        (days @ 2.., ..) => format!("{days} d"),
        (_, hours @ 1.., _) => format!("{hours} h"),
        (.., minutes) => format!("{} min", minutes.max(0)),
    }
}

fn shorten(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let kept: String = text.chars().take(longest.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}
