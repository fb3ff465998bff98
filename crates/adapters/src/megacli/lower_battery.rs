//! The battery page of MegaCli (`-AdpBbuCmd`): BBU, iBBU and CacheVault print different sets of lines,
//! so everything is looked up by name and nothing by position.
//!
//! The state word alone is not believed: packs say "Operational" while a flag asks for replacement,
//! old versions print no word at all, and during a learn cycle the word is "Unknown" or worse.

use super::lower::Heed;
use super::lower_pages::says;
use super::parse::Fields;
use super::parse_pages::{self, Sheet};
use super::vocabulary;
use crate::scan;
use raidmond_core::model::{CacheKind, CacheProtection, CacheState, Observed, Path};
use raidmond_core::survey::{Covers, NoteKind, Reading};

pub fn batteries(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let mut understood = false;
    for sheet in parse_pages::sheets(&heed.page.body) {
        let at = heed.controller(&sheet.number);
        understood |= sheet_of(&sheet, &at, heed, reading);
    }
    understood
}

fn sheet_of(sheet: &Sheet, controller: &Path, heed: &Heed<'_>, reading: &mut Reading) -> bool {
    if let Some(sentence) = says(sheet, "status failed") {
        absent(sheet, &sentence, controller, reading);
        return true;
    }
    let states_health = ["BatteryType", "Battery State", REPLACE, LEARNING];
    let describes = ["Design Capacity", "Relative State of Charge", "Auto Learn Period", "Device Name"];
    let has = |keys: &[&str]| keys.iter().any(|k| sheet.fields.raw(k).is_some());
    if has(&states_health) {
        let pack = pack(&sheet.fields, controller, reading);
        reading.caches.push(pack);
        if heed.complete {
            reading.coverage.add(controller, Covers::Cache);
        }
        return true;
    }
    has(&describes)
}

/// No status. "The required hardware component is not present" means no pack, but is a fault only on
/// a controller that says it carries one.
fn absent(sheet: &Sheet, sentence: &str, controller: &Path, reading: &mut Reading) {
    let reason = says(sheet, "not present");
    let said = reason.as_deref().unwrap_or(sentence).to_owned();
    let fitted = reading.controllers.iter().find(|c| c.at == *controller).and_then(|c| c.cache_protection_fitted);
    match (fitted, reason) {
        (Some(true), Some(_)) => {
            let mut pack = CacheProtection::new(battery(controller), CacheKind::Unknown);
            pack.state = Some(Observed::new(CacheState::Missing, said));
            reading.caches.push(pack);
        }
        (Some(true), None) => reading.note(NoteKind::ToolFailed, controller.clone(), said),
        (Some(false), _) => reading.coverage.add(controller, Covers::Cache),
        (None, reason) => {
            reading.note(NoteKind::Remark, controller.clone(), said);
            if reason.is_some() {
                reading.controller(controller).cache_protection_fitted = Some(false);
                cover_beside_others(controller, reading);
            }
        }
    }
}

/// "No battery here" alone says nothing about the health of anything.
fn cover_beside_others(controller: &Path, reading: &mut Reading) {
    if [Covers::Arrays, Covers::Disks].iter().any(|what| reading.coverage.has(controller, *what)) {
        reading.coverage.add(controller, Covers::Cache);
    }
}

fn battery(controller: &Path) -> Path {
    controller.child("battery")
}

const REPLACE: &str = "Battery Replacement required";
const ABOUT_TO_FAIL: &str = "Pack is about to fail & should be replaced";
const MISSING: &str = "Battery Pack Missing";
const LEARNING: &str = "Learn Cycle Active";

fn pack(fields: &Fields, controller: &Path, reading: &mut Reading) -> CacheProtection {
    let at = battery(controller);
    let mut pack = CacheProtection::new(at.clone(), kind(fields.get("BatteryType").unwrap_or("")));
    unknown_flags(fields, &at, reading);
    pack.state = Some(state(fields, &at, reading));
    pack.replace = replace(fields);
    pack.charge_percent = fields.count("Relative State of Charge").filter(|p| *p <= 100);
    pack.temperature_celsius = measured(fields, "Temperature");
    pack.voltage_millivolts = measured(fields, "Voltage");
    // A learn cycle in trouble is no routine any more: its state says so.
    pack.learning = flag(fields, LEARNING).map(|on| on && learn_trouble(fields).is_none());
    pack.model = fields.get("BatteryType").map(str::to_owned);
    pack.serial = fields.get("Serial Number").map(str::to_owned);
    pack
}

fn kind(word: &str) -> CacheKind {
    let word = word.to_ascii_uppercase();
    match word {
        w if ["CVPM", "CACHEVAULT", "TMM", "ZMM"].iter().any(|k| w.starts_with(k)) => CacheKind::Supercapacitor,
        w if w.contains("BBU") => CacheKind::Battery,
        _ => CacheKind::Unknown,
    }
}

fn flag(fields: &Fields, key: &str) -> Option<bool> {
    match fields.get(key)?.to_ascii_lowercase().as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// A flag that is neither Yes nor No is quoted, not guessed at.
fn unknown_flags(fields: &Fields, at: &Path, reading: &mut Reading) {
    let flags = vocabulary::battery_flags().map(|(key, _)| key).chain([REPLACE, ABOUT_TO_FAIL]);
    for key in flags {
        if let Some(word) = fields.get(key).filter(|w| flag(fields, key).is_none() && *w != "N/A") {
            reading.unknown_word(at.clone(), key, word);
        }
    }
}

/// "Voltage: 4053 mV"; the same key stands again with a verdict: "Voltage : OK".
fn measured(fields: &Fields, key: &str) -> Option<i64> {
    fields.iter().filter(|(k, _)| scan::same_word(k, key)).find_map(|(_, v)| scan::number(v))
}

fn replace(fields: &Fields) -> Option<Observed<bool>> {
    let said = |key: &str, yes: bool| Observed::new(yes, format!("{key}: {}", if yes { "Yes" } else { "No" }));
    let flags = [REPLACE, ABOUT_TO_FAIL].map(|key| (key, flag(fields, key)));
    let set = flags.iter().find(|(_, f)| *f == Some(true));
    set.or_else(|| flags.iter().find(|(_, f)| f.is_some())).and_then(|(key, f)| f.map(|yes| said(key, yes)))
}

fn state(fields: &Fields, at: &Path, reading: &mut Reading) -> Observed<CacheState> {
    let word = fields.get("Battery State").filter(|w| !w.is_empty());
    let stated = word.map(|w| Observed::new(vocabulary::battery_state(w).unwrap_or(CacheState::Unknown), w));
    if let Some(word) = word.filter(|w| vocabulary::battery_state(w).is_none()) {
        reading.unknown_word(at.clone(), "Battery State", word);
    }
    if flag(fields, MISSING) == Some(true) {
        return Observed::new(CacheState::Missing, format!("{MISSING}: Yes"));
    }
    if flag(fields, LEARNING) == Some(true) {
        return learning(fields);
    }
    match (stated, weakness(fields)) {
        (Some(stated), Some(weak)) if stated.state == CacheState::Optimal => weak,
        (Some(stated), Some(weak)) if stated.state == CacheState::Unknown => weak,
        (Some(stated), None) if stated.state == CacheState::Unknown => unknown(stated, at, reading),
        (Some(stated), _) => stated,
        (None, Some(weak)) => weak,
        (None, None) => unstated(fields, at, reading),
    }
}

/// Routine, unless it ran into its time limit or says it goes wrong.
fn learning(fields: &Fields) -> Observed<CacheState> {
    if let Some(trouble) = learn_trouble(fields) {
        return Observed::new(CacheState::Weak, trouble);
    }
    Observed::new(CacheState::Learning, format!("{LEARNING}: Yes"))
}

fn learn_trouble(fields: &Fields) -> Option<String> {
    if flag(fields, "Learn Cycle Timeout") == Some(true) {
        return Some("Learn Cycle Timeout: Yes".to_owned());
    }
    let status = fields.get("Learn Cycle Status").filter(|w| !w.eq_ignore_ascii_case("OK") && *w != "N/A")?;
    Some(format!("Learn Cycle Status: {status}"))
}

/// The first line that asks for attention. Low capacity while charging is the end of a learn cycle.
fn weakness(fields: &Fields) -> Option<Observed<CacheState>> {
    let low = "Remaining Capacity Low";
    let charging = fields.get("Charging Status").is_some_and(|w| w.eq_ignore_ascii_case("Charging"));
    let set = vocabulary::battery_flags()
        .filter(|(key, state)| *state == CacheState::Weak && flag(fields, key) == Some(true));
    let mut set: Vec<&str> = set.map(|(key, _)| key).collect();
    if charging && set == [low] {
        return Some(Observed::new(CacheState::Charging, format!("Charging Status: Charging, {low}: Yes")));
    }
    if flag(fields, "isSOHGood") == Some(false) {
        return Some(Observed::new(CacheState::Weak, "isSOHGood: No"));
    }
    let said = set.drain(..).next().map(|key| format!("{key}: Yes"));
    said.or_else(|| verdict(fields)).or_else(|| learn_trouble(fields)).map(|s| Observed::new(CacheState::Weak, s))
}

/// "Voltage : Low" and "Temperature : High" stand beside the measured values.
fn verdict(fields: &Fields) -> Option<String> {
    fields
        .iter()
        .filter(|(key, _)| scan::same_word(key, "Voltage") || scan::same_word(key, "Temperature"))
        .find(|(_, v)| !v.is_empty() && scan::number(v).is_none() && !v.eq_ignore_ascii_case("OK") && *v != "N/A")
        .map(|(key, v)| format!("{key}: {v}"))
}

/// No word, as CacheVault modules and old versions print it: good by its flags or unknown.
fn unstated(fields: &Fields, at: &Path, reading: &mut Reading) -> Observed<CacheState> {
    let evidence = [MISSING, REPLACE].map(|key| flag(fields, key));
    match evidence {
        [Some(false), Some(false)] => Observed::new(CacheState::Optimal, format!("{MISSING}: No, {REPLACE}: No")),
        [_, Some(true)] => Observed::new(CacheState::Weak, format!("{REPLACE}: Yes")),
        _ => unknown(Observed::new(CacheState::Unknown, "no Battery State"), at, reading),
    }
}

fn unknown(said: Observed<CacheState>, at: &Path, reading: &mut Reading) -> Observed<CacheState> {
    let words = format!("the state of the battery is not stated ({})", said.said);
    reading.note(NoteKind::UnknownWord, at.clone(), words);
    said
}
