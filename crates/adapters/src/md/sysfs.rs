//! `/sys/block/mdX/md/` → what mdstat leaves out: places, states and error counts of members, which
//! kind of check runs, what the last one found, identity. See Documentation/admin-guide/md.rst.

use super::picture::{Picture, Place, Role};
use crate::scan::count;
use raidmond_core::survey::Answer;
use std::collections::BTreeMap;

pub const ARRAY_FILES: [&str; 6] =
    ["array_state", "sync_action", "last_sync_action", "mismatch_cnt", "metadata_version", "uuid"];
pub const MEMBER_FILES: [&str; 4] = ["state", "slot", "errors", "bad_blocks"];
/// These change rarely and are read less often.
pub const SLOW: [&str; 2] = ["errors", "bad_blocks"];

/// Values by array, then by file (`sync_action`, `dev-sda1/state`).
#[derive(Debug, Default)]
pub struct Attributes(BTreeMap<String, BTreeMap<String, String>>);

impl Attributes {
    pub fn take(&mut self, answer: &Answer) {
        let Some((array, file)) = split(answer.asked.path()) else { return };
        if answer.outcome.ended() && answer.outcome.exit == 0 {
            self.0.entry(array.to_owned()).or_default().insert(file.to_owned(), answer.text().trim().to_owned());
        }
    }

    pub fn arrays(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    fn of(&self, array: &str, file: &str) -> Option<&str> {
        self.0.get(array)?.get(file).map(String::as_str).filter(|v| !v.is_empty())
    }
}

/// `/sys/block/md0/md/dev-sda1/state` → (`md0`, `dev-sda1/state`)
pub fn split(path: &str) -> Option<(&str, &str)> {
    let (array, rest) = path.strip_prefix("/sys/block/")?.split_once('/')?;
    let file = rest.strip_prefix("md")?.trim_matches('/');
    array.starts_with("md").then_some((array, file))
}

/// Devices a member folder stands for.
pub fn members(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().map(str::trim).filter(|name| name.starts_with("dev-"))
}

pub fn refine(array: &mut Picture, attributes: &Attributes) {
    let name = array.name.clone();
    let text = |file: &str| attributes.of(&name, file).map(str::to_owned);
    array.sync_action = text("sync_action");
    array.last_sync_action = text("last_sync_action");
    array.mismatches = text("mismatch_cnt").as_deref().and_then(count);
    array.words.extend(text("array_state"));
    // Older superblocks: mdadm swaps the bytes, so the two would not agree.
    array.uuid = text("uuid").filter(|_| text("metadata_version").is_some_and(|v| v.starts_with("1.")));
    let mut stated = false;
    for place in &mut array.places {
        let folder = format!("dev-{}", place.device.replace('/', "!"));
        let of = |file: &str| attributes.of(&name, &format!("{folder}/{file}"));
        place.errors = of("errors").and_then(count);
        place.bad_blocks = attributes.0.get(&name).and_then(|all| {
            let table = all.get(&format!("{folder}/bad_blocks"))?;
            Some(table.lines().filter(|l| !l.trim().is_empty()).count() as u64)
        });
        if let Some(state) = of("state") {
            stated |= apply_state(place, state, of("slot"));
        }
    }
    if stated {
        array.seat();
    }
}

/// The kernel's words are exact where mdstat only allows a guess.
fn apply_state(place: &mut Place, state: &str, slot: Option<&str>) -> bool {
    place.words = state.split(',').map(|w| w.trim().to_owned()).filter(|w| !w.is_empty()).collect();
    place.said = state.to_owned();
    let has = |word: &str| place.words.iter().any(|w| w == word);
    let seat = slot.and_then(|s| s.parse::<u32>().ok());
    let role = match (seat, place.role) {
        (_, Role::Idle) => return false,
        _ if has("faulty") => Role::Faulty,
        _ if has("journal") => Role::Journal,
        (Some(_), _) if has("replacement") => Role::Replacement,
        (Some(_), _) if has("in_sync") => Role::InSync,
        (Some(_), _) if has("spare") => Role::Target,
        (None, _) if has("spare") => Role::Spare,
        (_, role) => role,
    };
    place.role = role;
    place.slot = seat.filter(|_| matches!(role, Role::InSync | Role::Target));
    true
}
