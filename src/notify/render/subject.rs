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
    let start = format!("[raidmond {host}] {drill}{}: ", word(&notice));
    let room = LONGEST.saturating_sub(start.chars().count());
    shorten(&(start + &terse(&notice.headline, room)), LONGEST)
}

/// What does not fit loses first its commands' arguments, then what stands in brackets: both are in the mail.
fn terse(headline: &str, room: usize) -> String {
    let fits = |text: &str| text.chars().count() <= room;
    if fits(headline) {
        return headline.to_owned();
    }
    let bare = programs_only(headline);
    if fits(&bare) { bare } else { without_brackets(&bare) }
}

/// "`arcconf GETCONFIG 1 AL` failed" as "arcconf failed".
fn programs_only(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let program = |part: &str| part.split(' ').next().unwrap_or_default().to_owned();
    parts.map(|(n, part)| if n % 2 == 1 { program(part) } else { part.to_owned() }).collect()
}

fn without_brackets(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, inside)) = rest.split_once(" (") {
        let Some((_, after)) = inside.split_once(')') else { break };
        kept.push_str(before);
        rest = after;
    }
    kept + rest
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
    // Half a word says nothing, unless it is most of what there is.
    let whole = kept.rsplit_once(' ').map_or(kept.as_str(), |(whole, _)| whole);
    let kept = if whole.chars().count() + 15 > longest { whole } else { &kept };
    format!("{}...", kept.trim_end_matches([' ', ',', ':', ';']))
}
