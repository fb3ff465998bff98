//! The controller's event log as storcli and MegaCli print it: blocks of `seqNum:`, `Time:`, `Code:`,
//! `Class:`, `Locale:`, `Event Description:` and `Event Data:`.
//!
//! An entry becomes an observation: what it is a sign of, and about which disk or array. How bad that
//! is, and whether it is over, is not decided here.

use super::codes;
use crate::scan;
use raidmond_core::model::{Alias, Path, Space};
use raidmond_core::observe::{About, Observation, Sign};

/// One entry as printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    pub sequence: Option<u64>,
    /// `Time: Tue Jun  2 18:02:08 2015`, in the controller's own, unstated zone.
    pub time: Option<String>,
    pub seconds_since_reboot: Option<u64>,
    pub code: Option<u32>,
    /// -2 debug, -1 progress, 0 info, 1 warning, 2 critical, 3 fatal, 4 dead.
    pub class: Option<i64>,
    pub locale: Option<u32>,
    pub description: String,
    /// Lines of `Event Data:` that have a key and a value.
    pub data: Vec<(String, String)>,
}

/// All entries of a text as observations about things behind `controller`.
pub fn observations(text: &str, controller: &Path) -> Vec<Observation> {
    parse(text).iter().map(|entry| observation(entry, controller)).collect()
}

/// All entries of a text, in its order. Lines before the first `seqNum:` are passed over.
pub fn parse(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = scan::key_value(line, ':') else { continue };
        if key.eq_ignore_ascii_case("seqNum") {
            entries.push(Entry { sequence: scan::count(value), ..Entry::default() });
        } else if let Some(entry) = entries.last_mut() {
            entry.field(key, value);
        }
    }
    entries
}

impl Entry {
    fn field(&mut self, key: &str, value: &str) {
        match key.to_ascii_lowercase().as_str() {
            "time" => self.time = Some(value.to_owned()),
            "seconds since last reboot" => self.seconds_since_reboot = scan::count(value),
            "code" => self.code = scan::number(value).and_then(|c| u32::try_from(c & 0xffff).ok()),
            "class" => self.class = scan::number(value),
            "locale" => self.locale = scan::number(value).and_then(|l| u32::try_from(l).ok()),
            "event description" => self.description = value.to_owned(),
            _ if value.is_empty() => {}
            _ => self.data.push((key.to_owned(), value.to_owned())),
        }
    }

    fn datum(&self, key: &str) -> Option<&str> {
        self.data.iter().find(|(k, _)| scan::same_word(k, key)).map(|(_, v)| v.as_str())
    }
}

pub fn observation(entry: &Entry, controller: &Path) -> Observation {
    let rule = match entry.code {
        Some(code) => format!("megaraid:0x{code:04x}"),
        None => "megaraid:text".to_owned(),
    };
    let mut seen = Observation::new(sign(entry), rule, &said(entry));
    seen.about = about(entry, controller);
    seen.source_seconds = entry.time.as_deref().and_then(controller_seconds);
    seen.sequence = entry.sequence;
    seen
}

/// By code; where the code is unknown or names a new state, by the words; else by the class.
pub fn sign(entry: &Entry) -> Sign {
    let by_code = entry.code.and_then(codes::sign);
    let by_state = || state_change(entry);
    let by_words = || words(&entry.description);
    by_code.or_else(by_state).or_else(by_words).unwrap_or(match entry.class {
        Some(class) if class <= 0 => Sign::Info,
        _ => Sign::UnspecifiedFault,
    })
}

/// "State change on PD 15(e0x08/s4) from ONLINE(18) to FAILED(11)": the new state is the news.
fn state_change(entry: &Entry) -> Option<Sign> {
    if !scan::starts_with_word(&entry.description, "State change") {
        return None;
    }
    let (_, new) = entry.description.rsplit_once(" to ")?;
    let new = new.split('(').next().unwrap_or(new).trim().to_ascii_lowercase();
    if is_array(&entry.description) {
        return array_state(&new);
    }
    Some(match new.as_str() {
        "failed" | "unconfigured_bad" | "unconfigured bad" | "bad" => Sign::DiskFailed,
        "offline" => Sign::DiskFailed,
        "missing" => Sign::DiskMissing,
        "rebuild" => Sign::RebuildStarted,
        "online" | "copyback" | "unconfigured_good" | "unconfigured good" | "hot spare" | "hotspare" | "system"
        | "jbod" => Sign::DiskChanged,
        _ => Sign::UnspecifiedFault,
    })
}

fn array_state(new: &str) -> Option<Sign> {
    match new {
        "optimal" => Some(Sign::ArrayOptimal),
        "degraded" | "partially degraded" => Some(Sign::ArrayDegraded),
        "offline" => Some(Sign::ArrayFailed),
        _ => None,
    }
}

fn is_array(text: &str) -> bool {
    text.split_whitespace().any(|w| w == "VD" || w == "LD")
}

/// Sentences that are stable over firmware releases; for entries without a code, and unknown codes.
pub fn words(description: &str) -> Option<Sign> {
    let text = description.to_ascii_lowercase();
    if let Some((_, state)) = text.rsplit_once(" is now ").filter(|_| is_array(description)) {
        return array_state(state.trim());
    }
    WORDS.iter().find(|(parts, _)| parts.iter().all(|p| text.contains(p))).map(|(_, sign)| *sign)
}

/// All parts must occur; the first row that fits decides, so the narrower one stands first.
static WORDS: &[(&[&str], Sign)] = &[
    (&["punctur"], Sign::DataLoss),
    (&["cache discarded"], Sign::DataLoss),
    (&["cache pinned"], Sign::DataLoss),
    (&["controller encountered a fatal error"], Sign::ControllerFault),
    (&["predictive failure"], Sign::Predictive),
    (&["corrected medium error"], Sign::Corrected),
    (&["medium error"], Sign::MediumError),
    (&["rebuild", "fail"], Sign::RebuildFailed),
    (&["rebuild", "abort"], Sign::RebuildFailed),
    (&["rebuild", "complete"], Sign::RebuildCompleted),
    (&["rebuild", "started"], Sign::RebuildStarted),
    (&["rebuild", "resumed"], Sign::RebuildStarted),
    (&["consistency check", "fail"], Sign::CheckFailed),
    (&["consistency check", "abort"], Sign::CheckFailed),
    (&["consistency check", "inconsistent"], Sign::Inconsistency),
    (&["consistency check done"], Sign::CheckCompleted),
    (&["consistency check started"], Sign::CheckStarted),
    (&["bbu disabled"], Sign::WriteBackLost),
    (&["bbu enabled"], Sign::WriteBackRestored),
    (&["battery needs replacement"], Sign::BatteryFailed),
    (&["battery", "removed"], Sign::BatteryFailed),
    (&["battery not present"], Sign::BatteryFailed),
    (&["removed: pd"], Sign::DiskRemoved),
    (&["inserted: pd"], Sign::DiskInserted),
    (&["pd missing"], Sign::DiskMissing),
    (&["foreign", "detected"], Sign::ForeignConfiguration),
    (&["multi-bit ecc"], Sign::MemoryUncorrectable),
    (&["single-bit ecc"], Sign::MemoryCorrectable),
];

fn said(entry: &Entry) -> String {
    match (&entry.time, entry.seconds_since_reboot) {
        (Some(time), _) => format!("{time}: {}", entry.description),
        (None, Some(seconds)) => format!("{seconds} s after controller start: {}", entry.description),
        (None, None) => entry.description.clone(),
    }
}

fn about(entry: &Entry, controller: &Path) -> About {
    let mut about = About { space: Some(Space::Megaraid), path: controller.clone(), ..About::default() };
    if let Some(disk) = disk_named(&entry.description) {
        about.path = controller.slot(disk.enclosure().as_deref(), disk.slot);
        about.aliases.push(Alias::DeviceId(disk.device_id.to_string()));
    } else if let Some(target) = array_named(entry) {
        about.path = controller.array(target);
    }
    if let Some(class) = entry.class {
        about.fields.push(("class".to_owned(), class.to_string()));
    }
    about
}

struct DiskNamed {
    device_id: u32,
    enclosure_id: u32,
    slot: u32,
}

impl DiskNamed {
    /// 0xff and 0xffff stand for "no enclosure".
    fn enclosure(&self) -> Option<String> {
        (!matches!(self.enclosure_id, 0xff | 0xffff)).then(|| self.enclosure_id.to_string())
    }
}

/// `PD 15(e0x08/s4)`: device id and enclosure id hexadecimal, slot decimal.
fn disk_named(text: &str) -> Option<DiskNamed> {
    let (before, after) = text.split_once("(e0x")?;
    let device_id = before.rsplit(' ').next().and_then(hex)?;
    let (enclosure, rest) = after.split_once("/s")?;
    let slot: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(DiskNamed { device_id, enclosure_id: hex(enclosure)?, slot: slot.parse().ok()? })
}

/// `VD 0a/10`: target id hexadecimal. The data of the event, where given, say it in decimal.
fn array_named(entry: &Entry) -> Option<u32> {
    if let Some(target) = entry.datum("Target Id").and_then(scan::count) {
        return u32::try_from(target).ok();
    }
    let mut tokens = entry.description.split_whitespace();
    tokens.find(|w| *w == "VD" || *w == "LD")?;
    hex(tokens.next()?.split('/').next()?)
}

fn hex(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits.trim(), 16).ok()
}

/// Seconds since 2000-01-01 on the controller's clock, to order and count entries: the zone is not
/// stated, so this is no moment on anybody else's clock.
fn controller_seconds(time: &str) -> Option<f64> {
    let words: Vec<&str> = time.split_whitespace().collect();
    let [_, month, day, clock, year] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|m| m.eq_ignore_ascii_case(month))?;
    let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    let mut parts = clock.split(':').map(|p| p.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if !(2000..=2200).contains(&year) {
        return None;
    }
    let month = i64::try_from(month).ok()?;
    let days = days_before_year(year) + days_before_month(month, year) + day - 1;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) as f64)
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH_STARTS: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

fn days_before_year(year: i64) -> i64 {
    (2000..year).map(|y| if is_leap(y) { 366 } else { 365 }).sum()
}

fn days_before_month(month: i64, year: i64) -> i64 {
    let start = usize::try_from(month).ok().and_then(|m| MONTH_STARTS.get(m)).copied().unwrap_or(0);
    start + i64::from(month > 1 && is_leap(year))
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(code: Option<u32>, class: i64, description: &str) -> Entry {
        Entry { code, class: Some(class), description: description.to_owned(), ..Entry::default() }
    }

    fn sign_of(code: u32, class: i64, description: &str) -> Sign {
        sign(&entry(Some(code), class, description))
    }

    #[test]
    fn a_block_becomes_an_observation() {
        let text = "noise\nseqNum: 0x00000010\nTime: Sat Jan  1 00:01:02 2000\n\nCode: 0x00000061\nClass: 3\n\
                    Locale: 0x02\nEvent Description: Puncturing bad block on PD 15(e0x08/s7) at 20d\n";
        let seen = observations(text, &Path::controller(0));
        assert_eq!(seen.len(), 1);
        let first = &seen[0];
        assert_eq!((first.sign, first.sequence, first.source_seconds), (Sign::DataLoss, Some(16), Some(62.0)));
        assert_eq!((first.about.path.as_str(), first.rule.as_str()), ("c0/8:7", "megaraid:0x0061"));
        assert_eq!(first.about.aliases, [Alias::DeviceId("21".to_owned())]);
    }

    #[test]
    fn the_new_state_is_the_news() {
        let change = |text: &str| sign_of(0x72, 0, text);
        assert_eq!(change("State change on PD 04(e0x20/s4) from ONLINE(18) to FAILED(11)"), Sign::DiskFailed);
        assert_eq!(change("State change on PD 04(e0x20/s4) from FAILED(11) to ONLINE(18)"), Sign::DiskChanged);
        assert_eq!(change("State change on PD 04(e0x20/s4) from ONLINE(18) to WOBBLY(77)"), Sign::UnspecifiedFault);
        assert_eq!(sign_of(0x51, 0, "State change on VD 00/0 from OPTIMAL(3) to DEGRADED(2)"), Sign::ArrayDegraded);
        assert_eq!(sign_of(0x51, 0, "State change on VD 00/0 from DEGRADED(2) to OPTIMAL(3)"), Sign::ArrayOptimal);
    }

    #[test]
    fn without_a_known_code_words_and_class_decide() {
        assert_eq!(sign_of(0x7777, 2, "VD 01/1 is now OFFLINE"), Sign::ArrayFailed);
        assert_eq!(sign_of(0x7777, 1, "something new broke"), Sign::UnspecifiedFault);
        assert_eq!(sign_of(0x7777, 0, "something new happened"), Sign::Info);
        assert_eq!(sign(&Entry::default()), Sign::UnspecifiedFault);
    }

    #[test]
    fn arrays_and_bare_slots_are_named() {
        let at = |text: &str| about(&entry(None, 0, text), &Path::controller(1)).path;
        assert_eq!(at("VD 0a/3 is now DEGRADED").as_str(), "c1/v10");
        assert_eq!(at("Removed: PD 0c(e0xff/s4)").as_str(), "c1/:4");
        assert_eq!(at("Time established").as_str(), "c1");
    }

    #[test]
    fn the_controllers_clock_counts_leap_days() {
        assert_eq!(controller_seconds("Wed Mar  1 00:00:00 2000"), Some(60.0 * 86400.0));
        assert_eq!(controller_seconds("Mon Jan  1 00:00:00 2001"), Some(366.0 * 86400.0));
        assert_eq!(controller_seconds("yesterday"), None);
    }
}
