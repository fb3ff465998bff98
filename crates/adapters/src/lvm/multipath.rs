//! `multipath -ll` and `multipathd show maps json` → pictures.

use super::dmsetup::judge_paths;
use super::picture::{Picture, Place};
use super::vocabulary::{PATH, disk_state};
use crate::scan::clean;
use raidmond_core::model::DiskState;
use serde_json::Value;

pub fn maps(text: &str) -> Vec<Picture> {
    let mut maps: Vec<Picture> = match serde_json::from_str::<Value>(text.trim()) {
        Ok(document) => by_json(&document),
        Err(_) => by_text(text),
    };
    for map in &mut maps {
        map.level = Some("multipath".to_owned());
        if map.places.is_empty() {
            map.unknown.push(("multipath device without a path", map.name.clone()));
        }
        judge_paths(map);
    }
    maps
}

fn by_text(text: &str) -> Vec<Picture> {
    let mut maps: Vec<Picture> = Vec::new();
    // A group without a path, and a group drawn with another one to follow, end no whole listing.
    let (mut is_empty, mut goes_on) = (false, false);
    for line in clean(text).lines() {
        if line.contains("policy=") {
            (is_empty, goes_on) = (true, line.starts_with('|'));
        }
        let bare = line.trim_start_matches([' ', '|', '`', '\\', '_', '+', '-']).replace(['[', ']'], " ");
        if let Some(place) = path(&bare.split_whitespace().collect::<Vec<_>>()) {
            is_empty = false;
            if let Some(map) = maps.last_mut() {
                map.places.push(place);
            }
        } else if let Some(name) = name(line) {
            maps.push(Picture::named(name));
        }
    }
    if let Some(map) = maps.last_mut().filter(|_| is_empty || goes_on) {
        map.unknown.push(("the end of the listing, after", map.name.clone()));
    }
    maps
}

/// `mpatha (3600…) dm-2 VENDOR,MODEL`; a name may come alone with a kernel name.
fn name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|_| !line.starts_with([' ', '|', '`', '\\']))?;
    words.take(2).any(|w| w.starts_with("dm-")).then_some(name)
}

/// `3:0:0:1 sdb 8:16 active ready running`; before 0.4.9 `1:0:0:1 sdb 8:16 [active][ready]`.
fn path(words: &[&str]) -> Option<Place> {
    let at = words.iter().position(|w| w.split(':').count() == 4)?;
    let [device, _, states @ ..] = words.get(at + 1..)? else { return None };
    Some(place(device, states))
}

/// The worst of the words said of a path; one nobody knows leaves it unknown.
fn place(device: &str, states: &[&str]) -> Place {
    let known: Vec<Option<DiskState>> = states.iter().map(|s| disk_state(PATH, s)).collect();
    let state = match () {
        () if known.contains(&Some(DiskState::Failed)) => Some(DiskState::Failed),
        () if known.is_empty() || known.contains(&None) => None,
        () => Some(DiskState::Online),
    };
    Place { name: device.to_owned(), device: Some(format!("/dev/{device}")), state, said: states.join(" ") }
}

fn by_json(document: &Value) -> Vec<Picture> {
    let maps = document.get("maps").and_then(Value::as_array).cloned();
    let one = document.get("map").cloned().map(|m| vec![m]);
    maps.or(one).unwrap_or_default().iter().map(map).collect()
}

fn map(value: &Value) -> Picture {
    let word = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let groups = value.get("path_groups").and_then(Value::as_array).cloned().unwrap_or_default();
    let paths = groups.iter().filter_map(|g| g.get("paths").and_then(Value::as_array)).flatten();
    let mut picture = Picture::named(word(value, "name"));
    picture.places = paths.map(|p| place(&word(p, "dev"), &[&word(p, "dm_st"), &word(p, "chk_st")])).collect();
    picture
}
