//! ATA attributes: which ones count something that matters, and which are harmless at their threshold.
//!
//! Vendors use the numbers as they like; a raw value counts only where number and name agree. Raw values of
//! 1, 7 and 195 are not counts (Seagate packs two numbers into them) and are judged by their threshold alone.

use super::report::{Attribute, Report, WhenFailed};

/// No count of a living disk is larger: a packed or a meaningless number.
const ABSURD: u64 = 1 << 32;

/// The count of the attribute with this number, if its name holds one of these words.
fn counted<'a>(report: &'a Report, id: u8, names: &[&str]) -> Option<(&'a Attribute, u64)> {
    let is = |a: &&Attribute| a.id == id && names.iter().any(|n| a.name.contains(n));
    let found = report.attributes.iter().find(is)?;
    Some((found, found.raw.filter(|raw| *raw < ABSURD)?))
}

pub fn reallocated(report: &Report) -> Option<u64> {
    let sectors = counted(report, 5, &["Realloc", "Re-alloc", "Retired_Block", "Bad_Block"]);
    let events = || counted(report, 196, &["Reallocat"]);
    sectors.or_else(events).map(|(_, count)| count)
}

pub fn unrecovered(report: &Report) -> Option<u64> {
    counted(report, 187, &["Uncorrect"]).map(|(_, count)| count)
}

pub fn link_errors(report: &Report) -> Option<u64> {
    counted(report, 199, &["CRC"]).map(|(_, count)| count)
}

/// Seagate packs three 16-bit counts into it; smartctl prints them as one number unless it knows the disk.
pub fn timeouts(report: &Report) -> Option<u64> {
    let is = |a: &&Attribute| a.id == 188 && a.name.contains("Timeout");
    report.attributes.iter().find(is)?.raw.map(|raw| if raw > 0xffff { raw & 0xffff } else { raw })
}

/// Sectors that cannot be read now, with the words for it.
pub fn unreadable(report: &Report) -> Vec<(u64, String)> {
    let pending = counted(report, 197, &["Pending", "ECC_Count"]);
    let offline = counted(report, 198, &["Uncorrect"]);
    let words = |(a, count): (&Attribute, u64)| (count, format!("{} {count}", a.name));
    pending.into_iter().chain(offline).map(words).collect()
}

pub fn temperature(report: &Report) -> Option<i64> {
    let of = |id: u8| counted(report, id, &["Temp"]).and_then(|(_, raw)| i64::try_from(raw).ok());
    of(194).or_else(|| of(190)).filter(|t| (1..=120).contains(t))
}

pub fn hours(report: &Report) -> Option<u64> {
    counted(report, 9, &["Power_On_Hours"]).map(|(_, hours)| hours)
}

/// At its threshold an attribute of this kind predicts a failure.
pub fn predicting(report: &Report) -> Option<&Attribute> {
    report.attributes.iter().find(|a| is_low(a) && a.prefail && !is_temperature(a))
}

/// Age and use at their threshold: hours, starts and load cycles are passed by every old disk; what else
/// counts down is wear.
pub fn worn(report: &Report) -> Option<&Attribute> {
    const HARMLESS: [&str; 8] = [
        "Power_On_Hours",
        "Start_Stop",
        "Power_Cycle",
        "Load_Cycle",
        "Retract",
        "Head_Flying",
        "Load_Hours",
        "High_Fly",
    ];
    let counts = |a: &&Attribute| !HARMLESS.iter().any(|h| a.name.contains(h)) && !is_temperature(a);
    report.attributes.iter().filter(|a| is_low(a) && !a.prefail).find(counts)
}

/// Was low once and is not now: history.
pub fn past(report: &Report) -> impl Iterator<Item = &Attribute> {
    report.attributes.iter().filter(|a| a.when_failed == WhenFailed::Past && !is_low(a))
}

fn is_low(a: &Attribute) -> bool {
    // A value of 0 beside a threshold of 0 means that there is no threshold.
    a.when_failed == WhenFailed::Now || (a.threshold > 0 && a.value > 0 && a.value <= a.threshold)
}

/// Its limits are judged in degrees.
fn is_temperature(a: &Attribute) -> bool {
    matches!(a.id, 190 | 194 | 231) && a.name.contains("Temp")
}
