//! Entries of `event info` → observations. They stand newest first, in the controller's own time.
//!
//! `2026-06-14 20:14:42  Enc#2 SLOT 03   Time Out Error   000:00:10`: date, device, event, details; a device
//! may have blanks, so the event is searched for in what follows the date.

use super::vocabulary::{EVENT, TERMS, event_sign};
use crate::Said;
use crate::cursor;
use raidmond_core::model::{Path, Space};
use raidmond_core::observe::{Observation, Sign};

/// News after the cursor, and the next cursor.
pub fn news(lines: &[String], at: &Path, cursor: Option<&str>, baseline: bool) -> (Vec<Observation>, Option<String>) {
    let entries: Vec<(&str, i64)> = lines.iter().rev().filter_map(|l| Some((l.as_str(), seconds(l)?))).collect();
    let times: Vec<Option<i64>> = entries.iter().map(|(_, s)| Some(*s)).collect();
    let (fresh, next) = cursor::news(&times, cursor, baseline);
    let news = fresh.iter().filter_map(|i| entries.get(*i)).map(|(line, s)| observation(line, *s, at)).collect();
    (news, next)
}

fn seconds(line: &str) -> Option<i64> {
    let mut words = line.split_whitespace();
    let numbers = |word: Option<&str>, by: char| -> Option<[i64; 3]> {
        let parts: Vec<i64> = word?.split(by).map_while(|p| p.parse().ok()).collect();
        parts.try_into().ok()
    };
    cursor::seconds(numbers(words.next(), '-')?, numbers(words.next(), ':')?)
}

fn observation(line: &str, seconds: i64, controller: &Path) -> Observation {
    let text = line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
    let (device, event) = divide(&text);
    let sign = event_sign(event).unwrap_or_else(|| by_words(&text));
    let rule = if event.is_empty() { "areca:unlisted".to_owned() } else { format!("areca:{event}") };
    let mut observation = Observation::new(sign, rule, line.trim());
    observation.source_seconds = Some(seconds as f64);
    observation.about.space = Some(Space::Areca);
    observation.about.path = place(controller, device);
    observation
}

/// The longest known event in the text; what stands before it is the device.
fn divide(text: &str) -> (&str, &'static str) {
    let events = TERMS.iter().filter(|t| t.of == EVENT && matches!(t.means, Said::Sign(_)));
    let found = events.filter_map(|t| text.find(t.word).map(|at| (t.word, at)));
    match found.max_by_key(|(word, _)| word.len()) {
        Some((word, at)) => (text.get(..at).unwrap_or("").trim(), word),
        None => (text, ""),
    }
}

/// Firmware newer than the list: words of failure are still a fault.
fn by_words(text: &str) -> Sign {
    let lower = text.to_ascii_lowercase();
    let fault = ["fail", "error", "degrad", "lost", "fatal", "incomplete"].iter().any(|w| lower.contains(w));
    if fault { Sign::UnspecifiedFault } else { Sign::Info }
}

/// `Enc#2 SLOT 03`, `IDE Channel #02`, `Ch03`; anything else is a name, and the controller has to do.
fn place(controller: &Path, device: &str) -> Path {
    let numbers: Vec<u32> =
        device.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    let upper = device.to_ascii_uppercase();
    match numbers.as_slice() {
        [shelf, slot] if upper.contains("ENC") && upper.contains("SLOT") => {
            controller.slot(Some(&shelf.to_string()), slot)
        }
        [channel] if upper.contains("CHANNEL") || upper.starts_with("CH") => controller.slot(None, channel),
        _ => controller.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_a_place_and_a_sign() {
        let lines: Vec<String> = [
            "2026-06-14 20:14:42  IDE Channel #02  Device Failed",
            "2026-06-14 20:14:41  Enc#2 SLOT 03    Time Out Error      000:00:10",
            "2026-06-14 20:14:40  H/W MONITOR      DRAM Fatal Error",
            "2026-06-14 20:14:39  Raid Set # 00    Qwx failure",
            "no entry",
        ]
        .map(str::to_owned)
        .into();
        let at = Path::controller(1);
        let (news_, next) = news(&lines, &at, None, false);
        let told: Vec<(&str, Sign)> = news_.iter().map(|o| (o.about.path.as_str(), o.sign)).collect();
        let expected = [
            ("c1", Sign::UnspecifiedFault),
            ("c1", Sign::MemoryUncorrectable),
            ("c1/2:3", Sign::Timeout),
            ("c1/:2", Sign::DiskFailed),
        ];
        assert_eq!(told, expected);
        assert_eq!(news(&lines, &at, next.as_deref(), true).0, []);
    }
}
