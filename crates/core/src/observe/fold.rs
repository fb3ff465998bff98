//! One fault prints many lines. Folding makes one observation of them; rates say of which signs one
//! alone is nothing.
//!
//! Does not decide what a count means: that is diagnosis.

use super::{About, Observation, Sign};
use serde::{Deserialize, Serialize};

/// Lines of one fault lie within this.
const BURST_SECONDS: f64 = 2.0;
/// A storm: after so many of the same within a minute the rest is only counted.
const STORM_LINES: usize = 3;
const STORM_SECONDS: f64 = 60.0;
/// Keeps folding linear.
const LOOK_BACK: usize = 128;

/// `n` observations of one object within `within_seconds`; fewer are nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    pub n: u64,
    pub within_seconds: u64,
}

impl Rate {
    const fn new(n: u64, within_seconds: u64) -> Self {
        Self { n, within_seconds }
    }

    /// "3 within 24h", "10 in 5 m".
    pub fn parse(said: &str) -> Option<Self> {
        let said = said.to_ascii_lowercase();
        let (n, span) = said.split_once("within").or_else(|| said.split_once(" in "))?;
        let span = span.trim();
        let digits = span.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match span.get(digits.len()..)?.trim() {
            "s" | "sec" | "seconds" => 1,
            "m" | "min" | "minutes" => 60,
            "h" | "hour" | "hours" => 3600,
            "d" | "day" | "days" => 86_400,
            _ => return None,
        };
        let n = n.trim().parse().ok().filter(|n| *n > 0)?;
        let within = digits.parse::<u64>().ok()?.checked_mul(unit).filter(|w| *w > 0)?;
        Some(Self::new(n, within))
    }

    /// Whether these times (seconds, any order) hold `n` within the span.
    pub fn reached(self, times: &[f64]) -> bool {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        let n = usize::try_from(self.n).unwrap_or(usize::MAX);
        times.windows(n.max(1)).any(|w| match (w.first(), w.last()) {
            (Some(first), Some(last)) => last - first <= self.within_seconds as f64,
            _ => false,
        })
    }
}

/// The rate below which a sign is nothing; `None`: one is something. Counted over folded observations
/// of one object, for resets over the controller.
pub fn rate_of(sign: Sign) -> Option<Rate> {
    Some(match sign {
        // The vendor's rule for 3ware cards; the same for megaraid_sas and aacraid.
        Sign::ControllerReset => Rate::new(3, 86_400),
        Sign::Timeout | Sign::Corrected | Sign::MemoryCorrectable => Rate::new(3, 86_400),
        Sign::LinkError => Rate::new(3, 3600),
        _ => return None,
    })
}

/// Merges what one fault printed: the same sign on the same object within two seconds, and the
/// different signs of one failed request (block error, sense key, sense text) into the most telling.
/// Observations keep their order. Lines without any time are merged only as a storm.
pub fn fold(observations: Vec<Observation>) -> Vec<Observation> {
    let mut folded: Vec<Observation> = Vec::new();
    for seen in observations {
        match folded.iter_mut().rev().take(LOOK_BACK).find(|before| one_fault(before, &seen)) {
            Some(before) => absorb(before, seen),
            None => match storm(&folded, &seen) {
                Some(index) => absorb_counted(&mut folded, index, seen),
                None => folded.push(seen),
            },
        }
    }
    folded
}

fn one_fault(before: &Observation, seen: &Observation) -> bool {
    let kin = before.sign == seen.sign || (telling(before.sign) > 0 && telling(seen.sign) > 0);
    kin && before.rule.starts_with("user:") == seen.rule.starts_with("user:")
        && apart(before, seen).is_some_and(|s| s <= BURST_SECONDS)
        && same_object(&before.about, &seen.about)
}

fn absorb(before: &mut Observation, seen: Observation) {
    let count = before.count.saturating_add(seen.count);
    merge_names(&mut before.about, &seen.about);
    if telling(seen.sign) > telling(before.sign) {
        let about = std::mem::take(&mut before.about);
        let (at, source_seconds) = (before.at, before.source_seconds);
        *before = Observation { at, source_seconds, ..seen };
        merge_names(&mut before.about, &about);
    }
    before.count = count;
}

/// Index of the last of three like this one, if they came within a minute (or nobody knows when).
fn storm(folded: &[Observation], seen: &Observation) -> Option<usize> {
    let alike = |before: &Observation| {
        before.sign == seen.sign && before.rule == seen.rule && same_object(&before.about, &seen.about)
    };
    let mut recent = folded
        .iter()
        .enumerate()
        .rev()
        .take(LOOK_BACK)
        .filter(|(_, b)| alike(b))
        .filter(|(_, b)| apart(b, seen).is_none_or(|s| s <= STORM_SECONDS));
    let last = recent.next()?.0;
    (recent.take(STORM_LINES - 1).count() == STORM_LINES - 1).then_some(last)
}

fn absorb_counted(folded: &mut [Observation], index: usize, seen: Observation) {
    if let Some(before) = folded.get_mut(index) {
        before.count = before.count.saturating_add(seen.count);
    }
}

/// How much a sign says about why a request failed; 0 for signs that are not about one.
fn telling(sign: Sign) -> u8 {
    match sign {
        Sign::Predictive => 6,
        Sign::MediumError => 5,
        Sign::HardwareError => 4,
        Sign::LinkError => 3,
        Sign::Timeout => 2,
        Sign::IoError => 1,
        _ => 0,
    }
}

/// Seconds between two observations on a clock both have.
fn apart(a: &Observation, b: &Observation) -> Option<f64> {
    match (a.at, b.at, a.source_seconds, b.source_seconds) {
        (_, _, Some(a), Some(b)) => Some((a - b).abs()),
        (Some(a), Some(b), ..) => Some((a.as_millisecond() - b.as_millisecond()).abs() as f64 / 1000.0),
        _ => None,
    }
}

/// Fields that tell objects behind one controller apart.
const OBJECT_FIELDS: [&str; 10] =
    ["unit", "port", "enclosure", "slot", "vd", "channel", "id", "container", "vdev", "logical-drive"];

/// Whether two lines can speak of one object: a name in common and none that differs.
pub fn same_object(a: &About, b: &About) -> bool {
    if a.space.is_some() && b.space.is_some() && a.space != b.space {
        return false;
    }
    let fields_agree = OBJECT_FIELDS.iter().all(|f| a.field(f) == b.field(f));
    let shared = a.aliases.iter().any(|alias| b.aliases.contains(alias));
    let both_nameless = a.aliases.is_empty() && b.aliases.is_empty();
    fields_agree && a.path == b.path && (shared || both_nameless)
}

fn merge_names(into: &mut About, from: &About) {
    for alias in &from.aliases {
        let kind = std::mem::discriminant(alias);
        if into.aliases.iter().all(|known| std::mem::discriminant(known) != kind) {
            into.aliases.push(alias.clone());
        }
    }
    for (name, value) in &from.fields {
        if into.field(name).is_empty() {
            into.set(name, value.clone());
        }
    }
    into.space = into.space.or(from.space);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Alias;

    fn seen(sign: Sign, disk: &str, seconds: f64) -> Observation {
        let mut seen = Observation::new(sign, "test", "line");
        seen.about.aliases = vec![Alias::Kernel(disk.into())];
        seen.source_seconds = Some(seconds);
        seen
    }

    #[test]
    fn the_lines_of_one_failed_read_are_one_medium_error() {
        let folded = fold(vec![
            seen(Sign::IoError, "sda", 10.0),
            seen(Sign::MediumError, "sda", 10.1),
            seen(Sign::IoError, "sdb", 10.2),
            seen(Sign::IoError, "sda", 10.3),
        ]);
        let told: Vec<_> = folded.iter().map(|o| (o.sign, o.count)).collect();
        assert_eq!(told, [(Sign::MediumError, 3), (Sign::IoError, 1)]);
        assert_eq!(folded[0].source_seconds, Some(10.0));
    }

    #[test]
    fn faults_hours_apart_stay_apart() {
        let folded = fold((0..5).map(|h| seen(Sign::ControllerReset, "host", f64::from(h) * 3600.0)).collect());
        assert_eq!(folded.len(), 5);
    }

    #[test]
    fn a_storm_is_counted() {
        let folded = fold((0..1000).map(|i| seen(Sign::Info, "md0", f64::from(i) * 0.05 + f64::from(i % 4))).collect());
        assert!(folded.len() <= 6, "{}", folded.len());
        assert_eq!(folded.iter().map(|o| o.count).sum::<u64>(), 1000);
    }

    #[test]
    fn a_storm_without_times_is_counted_too() {
        let mut line = seen(Sign::IoError, "sda", 0.0);
        line.source_seconds = None;
        let folded = fold(vec![line; 100]);
        assert_eq!(folded.iter().map(|o| o.count).collect::<Vec<_>>(), [1, 1, 98]);
    }

    #[test]
    fn ports_behind_one_card_are_different_objects() {
        let mut three = seen(Sign::Timeout, "scsi0", 1.0);
        let mut four = three.clone();
        three.about.set("port", "p3");
        four.about.set("port", "p4");
        assert_eq!(fold(vec![three, four]).len(), 2);
    }

    #[test]
    fn rates_count_within_their_span() {
        let rate = Rate { n: 3, within_seconds: 86_400 };
        assert!(rate.reached(&[176_729.0, 128_327.0, 168_963.0]));
        assert!(!rate.reached(&[0.0, 90_000.0, 180_000.0]));
        assert!(!rate.reached(&[0.0, 1.0]));
        assert_eq!(Rate::parse("3 within 24h"), Some(rate));
        assert_eq!(Rate::parse("10 in 5 min"), Some(Rate { n: 10, within_seconds: 300 }));
        for nonsense in ["", "3", "0 within 1h", "3 within 0h", "3 within h", "3 within 5 y", "within 1h"] {
            assert_eq!(Rate::parse(nonsense), None, "{nonsense}");
        }
    }
}
