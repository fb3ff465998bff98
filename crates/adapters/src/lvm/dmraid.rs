//! `dmraid -s` (sets) and `dmraid -r` (disks) → pictures. Layout as dmraid 1.0.0.rc prints it.

use super::picture::{Picture, Place};
use super::vocabulary::{DMRAID, array_state};
use crate::scan::{clean, key_value};
use raidmond_core::model::{ArrayState, DiskState};

#[derive(Debug, Default)]
pub struct Sheet {
    pub pictures: Vec<Picture>,
    pub none: bool,
    pub unread: Vec<String>,
}

pub fn read(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    for line in clean(text).lines().map(str::trim).filter(|l| !l.is_empty()) {
        match line {
            l if l.starts_with("no raid ") || l.starts_with("no block devices") => sheet.none = true,
            l if l.starts_with("/dev/") => disk(&mut sheet, l),
            l if l.contains("Set") || l.contains("set ") || l.contains("Subset") => {}
            l => field(&mut sheet, l),
        }
    }
    sheet
}

/// `/dev/sda: ddf1, ".ddf1_disks", GROUP, ok, 976773168 sectors, data@ 0`
fn disk(sheet: &mut Sheet, line: &str) {
    let parts: Vec<&str> = line.split([',']).map(str::trim).collect();
    let (Some((device, _)), [_, set, kind, status, ..]) = (line.split_once(": "), parts.as_slice()) else {
        return sheet.unread.push(line.to_owned());
    };
    let set = set.trim_matches('"');
    let state = array_state(DMRAID, status);
    let place = Place {
        name: device.trim_start_matches("/dev/").to_owned(),
        device: Some(device.to_owned()),
        state: Some(match state {
            Some(ArrayState::Optimal) => DiskState::Online,
            Some(ArrayState::Degraded) => DiskState::Offline,
            Some(_) => DiskState::Failed,
            None => DiskState::Unknown,
        }),
        said: (*status).to_owned(),
    };
    let picture = of(sheet, set);
    // The group of a DDF container is no array: its sets are.
    if *kind != "GROUP" && *kind != "spare" {
        picture.level = Some((*kind).to_owned());
    }
    picture.places.push(place);
    if state.is_none() {
        picture.unknown.push((DMRAID, (*status).to_owned()));
    }
}

fn of<'s>(sheet: &'s mut Sheet, set: &str) -> &'s mut Picture {
    let at = sheet.pictures.iter().position(|p| p.name == set).unwrap_or_else(|| {
        sheet.pictures.push(Picture::named(set));
        sheet.pictures.len() - 1
    });
    &mut sheet.pictures[at]
}

/// `status : ok`
fn field(sheet: &mut Sheet, line: &str) {
    let Some((key, value)) = key_value(line, ':') else { return sheet.unread.push(line.to_owned()) };
    if key == "name" {
        sheet.pictures.push(Picture::named(value));
        return;
    }
    let Some(picture) = sheet.pictures.last_mut() else { return sheet.unread.push(line.to_owned()) };
    match key {
        "type" => picture.level = Some(value.to_owned()),
        "status" => {
            picture.word = array_state(DMRAID, value);
            picture.said = value.to_owned();
            if picture.word.is_none() {
                picture.unknown.push((DMRAID, value.to_owned()));
            }
        }
        "size" | "stride" | "subsets" | "devs" | "spares" => {}
        _ => sheet.unread.push(line.to_owned()),
    }
}
