//! `mdadm --detail`, and its `--export` form, → pictures. Layout as in mdadm's Detail.c, versions 2 to 4.

use super::picture::{Picture, Place, Role, Work};
use crate::scan::{clean, count, key_value, percent};

/// Several arrays may stand in one text; a text may stand under errors.
pub fn pages(text: &str) -> (Vec<Picture>, Vec<String>) {
    let (mut pages, mut errors): (Vec<Picture>, Vec<String>) = (Vec::new(), Vec::new());
    for line in clean(text).lines().map(str::trim).filter(|l| !l.is_empty()) {
        match (name(line), pages.last_mut()) {
            _ if line.starts_with("mdadm:") => errors.push(line.to_owned()),
            (Some(name), _) => pages.push(Picture { name, ..Picture::default() }),
            (None, Some(page)) => take_line(page, line),
            (None, None) => {}
        }
    }
    pages.iter_mut().for_each(finish);
    (pages, errors)
}

/// `/dev/md0:`
fn name(line: &str) -> Option<String> {
    let name = line.strip_suffix(':')?.strip_prefix("/dev/")?;
    (!name.contains(' ')).then(|| name.to_owned())
}

fn take_line(page: &mut Picture, line: &str) {
    if let Some(row) = row(line) {
        return page.places.extend(row);
    }
    let Some((key, value)) = key_value(line, ':') else { return };
    match key {
        "Raid Level" => page.level = Some(value.to_owned()),
        "Raid Devices" => page.width = count(value).and_then(|n| u32::try_from(n).ok()),
        "Active Devices" => page.working = count(value).and_then(|n| u32::try_from(n).ok()),
        "Array Size" => page.bytes = count(value).and_then(|blocks| blocks.checked_mul(1024)),
        "State" => state(page, value),
        "Layout" => page.copies = copies(value),
        "UUID" => page.uuid = Some(value.to_owned()),
        "Name" => page.title = title(value),
        "Rebuild Status" | "Resync Status" | "Reshape Status" | "Check Status" => {
            page.work.get_or_insert_default().percent = percent(value);
        }
        _ => {}
    }
}

/// `clean, degraded, recovering`, `active, FAILED, Not Started`, `clean, resyncing (DELAYED)`
fn state(page: &mut Picture, value: &str) {
    page.said = value.to_owned();
    for word in value.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        let (word, waits) = match word.split_once(" (") {
            Some((word, waits)) => (word, Some(waits.trim_end_matches(')').to_owned())),
            None => (word, None),
        };
        let doing = match word {
            "recovering" => "recovery",
            "resyncing" => "resync",
            "reshaping" => "reshape",
            "checking" => "check",
            other => {
                page.words.push(other.to_owned());
                continue;
            }
        };
        page.work = Some(Work { word: doing.to_owned(), waits, said: word.to_owned(), ..Work::default() });
    }
}

/// `near=2`, `near=2, far=1`, `far=2`
fn copies(value: &str) -> Option<(u32, bool)> {
    let mut all = (1_u32, true);
    for part in value.split(',') {
        let (kind, number) = part.trim().split_once('=')?;
        let number: u32 = number.parse().ok()?;
        all = (all.0.saturating_mul(number), all.1 && (kind == "near" || number == 1));
    }
    Some(all)
}

/// `db3:home  (local to host db3)` → `home`; the host name in front is noise on its own host.
fn title(value: &str) -> Option<String> {
    let name = value.split_whitespace().next()?;
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    (!name.is_empty() && !name.bytes().all(|b| b.is_ascii_digit()) && !name.contains('/')).then(|| name.to_owned())
}

/// `       3     254        4        1      spare rebuilding   /dev/vda4`. `Some(None)`: an empty place.
fn row(line: &str) -> Option<Option<Place>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [number, major, minor, slot, rest @ ..] = words.as_slice() else { return None };
    let numbers = |w: &str| w == "-" || w.parse::<u32>().is_ok();
    if ![number, major, minor, slot].iter().all(|w| numbers(w)) {
        return None;
    }
    let Some((device, state)) = rest.split_last().filter(|(device, _)| device.starts_with("/dev/")) else {
        return Some(None);
    };
    let has = |word: &str| state.contains(&word);
    let role = match () {
        () if has("faulty") || has("failed") => Role::Faulty,
        () if has("journal") => Role::Journal,
        () if has("replacement") => Role::Replacement,
        () if has("rebuilding") => Role::Target,
        () if has("spare") => Role::Spare,
        () if has("sync") => Role::InSync,
        () => Role::Idle,
    };
    let said = if state.is_empty() { "listed" } else { &state.join(" ") };
    let mut place = Place::new(device.trim_start_matches("/dev/"), said, role);
    place.number = number.parse().ok();
    place.slot = slot.parse().ok().filter(|_| role != Role::Faulty);
    Some(Some(place))
}

/// A place another device still serves is being copied, not rebuilt.
fn finish(page: &mut Picture) {
    let served: Vec<u32> = page.places.iter().filter(|p| p.role == Role::InSync).filter_map(|p| p.slot).collect();
    for place in page.places.iter_mut().filter(|p| p.role == Role::Target) {
        if place.slot.is_some_and(|slot| served.contains(&slot)) {
            (place.role, place.slot) = (Role::Replacement, None);
        }
    }
    // Arrays in Intel or DDF containers come without a table.
    if !page.places.is_empty() && page.has_places() {
        page.map = (0..page.width.unwrap_or(0).min(4096)).map(|slot| served.contains(&slot)).collect();
    }
    page.seat();
}

impl Picture {
    fn has_places(&self) -> bool {
        self.level.as_deref().is_some_and(|l| l != "raid0" && l != "linear" && l != "container")
    }
}

/// `MD_UUID=…`, `MD_NAME=…`: who an array is, never how it is.
pub fn export(text: &str, name: &str) -> Option<Picture> {
    let value = |key: &str| {
        let line = |l: &str| l.trim().strip_prefix(key)?.strip_prefix('=').map(str::to_owned);
        clean(text).lines().find_map(line)
    };
    let level = value("MD_LEVEL");
    let title = value("MD_NAME").as_deref().and_then(title);
    level.as_ref()?;
    Some(Picture { name: name.to_owned(), level, uuid: value("MD_UUID"), title, ..Picture::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let place = row("3  254  4  1  writemostly spare rebuilding  /dev/vda4").flatten().unwrap();
        assert_eq!((place.device.as_str(), place.role, place.slot), ("vda4", Role::Target, Some(1)));
        assert_eq!(row("- 0 0 1 removed"), Some(None));
        assert_eq!(row("Number   Major   Minor   RaidDevice State"), None);
    }

    #[test]
    fn layouts() {
        assert_eq!(copies("near=2"), Some((2, true)));
        assert_eq!(copies("near=1, far=2"), Some((2, false)));
        assert_eq!(copies("left-symmetric"), None);
    }

    #[test]
    fn names_without_the_host() {
        assert_eq!(title("db3:home  (local to host db3)").as_deref(), Some("home"));
        assert_eq!(title("db3:0  (local to host db3)"), None);
    }
}
