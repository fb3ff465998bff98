//! Rows of `lvs` → pictures. Images of a RAID volume are volumes of their own, hidden: `[root_rimage_0]`.

use super::picture::{Picture, Place, Work, dm_name};
use super::report::Row;
use super::vocabulary::{ACTION, ACTIVE, HEALTH, array_state, meaning};
use crate::Said;
use crate::scan::percent;
use raidmond_core::model::{ArrayState, DiskState, FindingKind};

pub fn pictures(rows: &[Row]) -> Vec<Picture> {
    let named = rows.iter().filter(|r| image_of(r).is_none() && !vg(r).is_empty() && !name(r).is_empty());
    let mut found: Vec<Picture> = Vec::new();
    for row in named {
        // With `devices` a volume of several segments has several rows.
        let picture = picture(row, rows);
        if !picture.is_blank() && !found.iter().any(|p| p.name == picture.name) {
            found.push(picture);
        }
    }
    found
}

fn cell<'r>(row: &'r Row, key: &str) -> &'r str {
    row.get(key).map(|v| v.trim()).unwrap_or_default()
}

fn vg(row: &Row) -> &str {
    match cell(row, "vg_name") {
        "" => cell(row, "lv_full_name").split('/').next().filter(|v| !v.is_empty()).unwrap_or_default(),
        name => name,
    }
}

fn name(row: &Row) -> &str {
    cell(row, "lv_name").trim_matches(['[', ']'])
}

fn attr(row: &Row, place: usize) -> Option<String> {
    let all = Some(cell(row, "lv_attr")).filter(|a| !a.is_empty()).unwrap_or_else(|| cell(row, "attr"));
    all.chars().nth(place).map(String::from)
}

/// `root` of `[root_rimage_0]`, and the image's own name.
fn image_of(row: &Row) -> Option<(&str, &str)> {
    let name = name(row);
    ["_rimage_", "_mimage_", "_rmeta_"].iter().find_map(|mark| {
        let at = name.rfind(mark)?;
        let number = name.get(at + mark.len()..)?;
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| (&name[..at], &name[at + 1..]))
    })
}

fn level(row: &Row) -> Option<String> {
    let by_type = Some(cell(row, "segtype")).filter(|t| t.starts_with("raid") || *t == "mirror");
    let letter = attr(row, 0);
    let by_letter = match letter.as_deref() {
        Some("r" | "R") => Some("raid"),
        Some("m" | "M") => Some("mirror"),
        _ => None,
    };
    by_type.or(by_letter).map(str::to_owned)
}

fn picture(row: &Row, rows: &[Row]) -> Picture {
    let mut picture = Picture::named(dm_name(vg(row), name(row)));
    picture.title = Some(format!("{}/{}", vg(row), name(row)));
    picture.uuid = Some(cell(row, "lv_uuid").to_owned()).filter(|u| !u.is_empty());
    picture.level = level(row);
    health(&mut picture, row);
    activity(&mut picture, row);
    if picture.level.as_deref().is_some_and(|l| l.starts_with("raid") || l == "mirror") {
        redundancy(&mut picture, row, rows);
    }
    picture
}

/// Both fields tell the same; either may be missing.
fn health(picture: &mut Picture, row: &Row) {
    let status = cell(row, "lv_health_status");
    let letter = attr(row, 8);
    let said = if status.is_empty() { letter.clone().unwrap_or_default() } else { status.to_owned() };
    if said.is_empty() {
        return;
    }
    let redundant = picture.level.as_deref().is_some_and(|l| l != "raid0" && l != "raid0_meta");
    let state = array_state(HEALTH, &said);
    picture.said = if said == "-" { "healthy".to_owned() } else { said.clone() };
    match state {
        None => picture.unknown.push((HEALTH, said)),
        Some(ArrayState::Optimal) if !redundant => {}
        // A volume without copies that lacks a device lacks data.
        Some(ArrayState::Degraded) if !redundant => {
            *picture = std::mem::take(picture).failed("linear", format!("volume health {said}"));
        }
        Some(ArrayState::Failed) if !redundant => {
            *picture = std::mem::take(picture).failed("linear", format!("volume health {said}"));
        }
        Some(state) => picture.word = Some(state),
    }
}

fn activity(picture: &mut Picture, row: &Row) {
    let Some(letter) = attr(row, 4) else { return };
    match meaning(ACTIVE, &letter) {
        Some(Said::Array(ArrayState::Optimal)) => {}
        // Not activated, by choice: healthy is all that can be said, and only LVM says it.
        Some(Said::Array(ArrayState::Inactive)) if picture.word == Some(ArrayState::Optimal) => {
            picture.word = Some(ArrayState::Inactive);
        }
        Some(Said::Array(ArrayState::Failed)) => {
            let said = format!("volume state {letter}: suspended or without a table");
            picture.findings.push((FindingKind::ToolReportsFault, said));
        }
        Some(Said::Finding(kind)) => picture.findings.push((kind, format!("volume state {letter}"))),
        Some(_) => {}
        None => picture.unknown.push((ACTIVE, letter)),
    }
}

fn redundancy(picture: &mut Picture, row: &Row, rows: &[Row]) {
    let images: Vec<&Row> = rows
        .iter()
        .filter(|r| {
            vg(r) == vg(row) && image_of(r).is_some_and(|(of, own)| of == name(row) && !own.starts_with("rmeta"))
        })
        .collect();
    for image in images {
        let place = place(picture, image);
        if !picture.places.iter().any(|p| p.name == place.name) {
            picture.places.push(place);
        }
    }
    let action = cell(row, "raid_sync_action");
    let share = percent(Some(cell(row, "copy_percent")).filter(|c| !c.is_empty()).unwrap_or(cell(row, "sync_percent")));
    picture.work = match meaning(ACTION, action) {
        Some(Said::Task(..)) => Some(Work { action: action.to_owned(), percent: share }),
        None if !action.is_empty() => {
            picture.unknown.push((ACTION, action.to_owned()));
            None
        }
        _ => share.filter(|s| *s < 100.0).map(|s| Work { action: String::new(), percent: Some(s) }),
    };
    picture.mismatches = cell(row, "raid_mismatch_count").parse().ok().filter(|_| action == "idle");
}

fn place(picture: &mut Picture, image: &Row) -> Place {
    let own = image_of(image).map(|(_, own)| own.to_owned()).unwrap_or_default();
    let device = cell(image, "devices").split(['(', ',']).next().unwrap_or_default().to_owned();
    let health = Some(cell(image, "lv_health_status").to_owned()).filter(|h| !h.is_empty()).or_else(|| attr(image, 8));
    let lost = device.contains("unknown") || health.as_deref().is_some_and(|h| h == "p" || h == "partial");
    let stale = health.as_deref().is_some_and(|h| h == "r" || h == "refresh needed");
    let state = match (lost, attr(image, 0).as_deref()) {
        (true, _) => Some(DiskState::Missing),
        _ if stale => Some(DiskState::Offline),
        (_, Some("I")) => Some(DiskState::Rebuilding),
        (_, Some("i")) => Some(DiskState::Online),
        (_, Some(other)) => {
            picture.unknown.push(("volume type of an image", other.to_owned()));
            None
        }
        (_, None) => None,
    };
    let said = attr(image, 0).unwrap_or_default() + &health.unwrap_or_default();
    Place { name: own, device: Some(device).filter(|d| d.starts_with("/dev/")), state, said }
}
