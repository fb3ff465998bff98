//! `/proc/mdstat` → pictures. The layout is that of `md_seq_show` and the personalities' `status`
//! functions in Linux 2.4 to 6.x. Judges nothing.

use super::picture::{Picture, Place, Role, Work};
use crate::scan::{clean, percent};

#[derive(Debug, Default, PartialEq)]
pub struct Sheet {
    pub arrays: Vec<Picture>,
    /// The kernel's first and last line were there: nothing was cut off.
    pub begun: bool,
    pub ended: bool,
    pub unread: Vec<String>,
}

pub fn sheet(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    for line in clean(text).lines().map(str::trim).filter(|l| !l.is_empty()) {
        take_line(&mut sheet, line);
    }
    sheet.arrays.iter_mut().for_each(Picture::seat);
    sheet
}

fn take_line(sheet: &mut Sheet, line: &str) {
    // A shell prompt above the text, and what 2.4 prints beside the arrays.
    let aside = ["#", "read_ahead ", "Event:"].iter().any(|p| line.starts_with(p));
    match line {
        _ if aside => {}
        _ if line.starts_with("Personalities") => sheet.begun = true,
        _ if line.starts_with("unused devices") => sheet.ended = true,
        _ => match header(line) {
            Some(array) => sheet.arrays.push(array),
            None => match sheet.arrays.last_mut() {
                Some(array) => detail(array, line),
                None => sheet.unread.push(line.to_owned()),
            },
        },
    }
}

/// `md0 : active (auto-read-only) raid1 sdb1[1](F) sda1[0]`
fn header(line: &str) -> Option<Picture> {
    let (name, rest) = line.split_once(" : ")?;
    if !name.starts_with("md") || name.contains(' ') {
        return None;
    }
    let mut array = Picture { name: name.to_owned(), is_live: true, ..Picture::default() };
    for word in rest.split_whitespace() {
        match place(word) {
            Some(place) => array.places.push(place),
            None if array.words.is_empty() || word.starts_with('(') => array.words.push(word.to_owned()),
            None if array.level.is_none() => array.level = Some(word.to_owned()),
            None => array.unread.push(word.to_owned()),
        }
    }
    array.said = array.words.join(" ");
    if !array.is_started() {
        let idle = |p: &&mut Place| p.role != Role::Faulty;
        array.places.iter_mut().filter(idle).for_each(|p| p.role = Role::Idle);
    }
    Some(array)
}

/// `sdb1[1](W)(F)`
fn place(word: &str) -> Option<Place> {
    let (device, rest) = word.split_once('[')?;
    let (number, flags) = rest.split_once(']')?;
    let number = number.parse().ok()?;
    let has = |flag: &str| flags.contains(flag);
    let role = match () {
        () if has("(F)") => Role::Faulty,
        () if has("(J)") => Role::Journal,
        () if has("(S)") => Role::Spare,
        () if has("(R)") => Role::Replacement,
        () => Role::InSync,
    };
    Some(Place { number: Some(number), ..Place::new(device, word, role) })
}

fn detail(array: &mut Picture, line: &str) {
    if line.contains(" blocks") && line.starts_with(|c: char| c.is_ascii_digit()) {
        return size_line(array, line);
    }
    match work(line) {
        Some(work) => array.work = Some(work),
        None if line.starts_with("bitmap:") => {}
        None => array.unread.push(line.to_owned()),
    }
}

/// `5853468288 blocks super 1.2 level 6, 64k chunk, algorithm 2 [8/8] [UUUUUUUU]`
fn size_line(array: &mut Picture, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|w| *w == word).and_then(|i| words.get(i + 1)).copied();
    array.bytes = words.first().and_then(|w| w.parse::<u64>().ok()).and_then(|blocks| blocks.checked_mul(1024));
    array.metadata = after("super").map(str::to_owned);
    array.copies = copies(&words);
    for bracket in words.iter().filter_map(|w| w.strip_prefix('[')?.strip_suffix(']')) {
        match bracket.split_once('/') {
            Some((width, working)) => (array.width, array.working) = (width.parse().ok(), working.parse().ok()),
            None => array.map = bracket.chars().map(|c| c == 'U').collect(),
        }
        array.said = format!("{} [{bracket}]", array.said);
    }
}

/// `512K chunks 2 near-copies`, `2 far-copies`, `2 offset-copies`
fn copies(words: &[&str]) -> Option<(u32, bool)> {
    let of = |kind: &str| {
        let at = words.iter().position(|w| *w == kind)?;
        words.get(at.checked_sub(1)?)?.parse::<u32>().ok()
    };
    let (near, far) = (of("near-copies"), of("far-copies").or_else(|| of("offset-copies")));
    (near.is_some() || far.is_some())
        .then(|| (near.unwrap_or(1).saturating_mul(far.unwrap_or(1)), far.is_none_or(|far| far == 1)))
}

/// `[=>...]  recovery =  8.5% (16775552/195310144) finish=17.0min speed=259783K/sec`, `resync=DELAYED`
fn work(line: &str) -> Option<Work> {
    let rest = match line.strip_prefix('[') {
        Some(bar) => bar.split_once(']')?.1.trim(),
        None => line,
    };
    let (word, value) = rest.split_once('=')?;
    let word = word.trim().to_owned();
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let said = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let waits = value.trim().starts_with(|c: char| c.is_ascii_uppercase()).then(|| value.trim().to_owned());
    let percent = if waits.is_none() { Some(percent(value.trim())?) } else { None };
    let minutes = rest.split_whitespace().find_map(|w| w.strip_prefix("finish=")?.strip_suffix("min")?.parse().ok());
    let seconds_left = minutes.map(|m: f64| (m * 60.0) as u64);
    Some(Work { word, waits, said, percent, seconds_left })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Picture {
        let sheet = sheet(text);
        assert_eq!((sheet.arrays.len(), sheet.unread.len()), (1, 0), "{sheet:?}");
        sheet.arrays[0].clone()
    }

    fn roles(array: &Picture) -> Vec<(&str, Role, Option<u32>)> {
        array.places.iter().map(|p| (p.device.as_str(), p.role, p.slot)).collect()
    }

    #[test]
    fn the_newest_device_is_the_one_being_written() {
        let array = only(
            "md9 : active raid5 sdd1[4] sdb1[1] sda1[0]\n 200 blocks [3/2] [UU_]\n [>...] recovery = 0.4% (1/2) finish=2.5min speed=12K/sec\n",
        );
        assert_eq!(
            roles(&array),
            [("sdd1", Role::Target, Some(2)), ("sdb1", Role::InSync, Some(1)), ("sda1", Role::InSync, Some(0))]
        );
        let work = array.work.unwrap();
        assert_eq!((work.word.as_str(), work.percent, work.seconds_left), ("recovery", Some(0.4), Some(150)));
    }

    #[test]
    fn a_failed_device_takes_its_place_and_one_too_many_none() {
        let array = only("md9 : active raid1 sdc1[2](F) sdb1[1](F) sda1[0]\n 200 blocks [2/1] [U_]\n");
        assert_eq!(
            roles(&array),
            [("sdc1", Role::Faulty, None), ("sdb1", Role::Faulty, Some(1)), ("sda1", Role::InSync, Some(0))]
        );
    }

    #[test]
    fn containers_are_told_from_what_lies_on_them() {
        let container = only("md127 : inactive sda[1](S)\n 5 blocks super external:ddf\n");
        assert!(container.is_container());
        let volume = only("md126 : inactive sda[1]\n 5 blocks super external:-md127/0\n");
        assert!(!volume.is_container());
        assert_eq!(volume.places[0].role, Role::Idle);
    }

    #[test]
    fn copies_of_raid_10() {
        let of = |layout: &str| only(&format!("md1 : active raid10 sda[0]\n 5 blocks {layout} [1/1] [U]\n")).copies;
        assert_eq!(of("512K chunks 2 near-copies"), Some((2, true)));
        assert_eq!(of("512K chunks 3 far-copies"), Some((3, false)));
        assert_eq!(of("512k chunk, algorithm 2"), None);
    }
}
