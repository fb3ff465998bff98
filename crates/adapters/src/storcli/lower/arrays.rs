//! Arrays, and which disks are their members: three places say so, the topology best.

use super::{Gathered, Place, disks};
use crate::scan;
use crate::storcli::parse::{Row, Section};
use crate::storcli::vocabulary;
use raidmond_core::model::{
    Alias, Array, ArrayState, DiskState, Finding, FindingKind, Level, Member, Observed, Path, SpareScope,
};
use raidmond_core::survey::{NoteKind, Reading};

/// What joins arrays and disks: drive groups.
#[derive(Default)]
pub struct Links {
    /// (controller, drive group, array)
    groups: Vec<(Path, String, Path)>,
    /// (disk, drive group), from the DG column.
    disks: Vec<(Path, String)>,
    /// (disk, span), from `Drive position`.
    spans: Vec<(Path, u32)>,
    /// (array, disk), from `PDs for VD`.
    listed: Vec<(Path, Path)>,
    /// Rows of the topology.
    slots: Vec<Slot>,
}

struct Slot {
    controller: Path,
    group: String,
    member: Member,
}

pub fn lower(all: &mut Gathered, place: &Place<'_>) {
    for (title, row) in place.reply.rows_with("DG/VD") {
        if !title.to_ascii_uppercase().starts_with("FOREIGN") {
            list_row(all, place.at, row);
        }
    }
    for section in &place.reply.sections {
        section_of_array(all, place.at, section);
    }
    short_list(all, place);
    topology(all, place);
}

/// A list shorter than the count above it was cut off, or the tool hides something.
fn short_list(all: &mut Gathered, place: &Place<'_>) {
    for (counted, list) in [("Virtual Drives", "VD LIST"), ("Physical Drives", "PD LIST")] {
        let Some(count) = place.reply.property(counted).and_then(scan::count) else { continue };
        let rows: usize = place.reply.titled(list).map(|s| s.rows.len()).sum();
        if (rows as u64) < count {
            let said = format!("{counted} = {count}, but {rows} are listed");
            all.reading.note(NoteKind::FewerThanCounted, place.at.clone(), said);
        }
    }
}

/// `0/1`, `-/1`: drive group and array.
fn numbers(row: &Row) -> Option<(Option<&str>, &str)> {
    let (group, array) = row.get("DG/VD")?.trim().split_once('/')?;
    let digits = |t: &str| !t.is_empty() && t.chars().all(|c| c.is_ascii_digit());
    digits(array).then_some((Some(group).filter(|g| digits(g)), array))
}

pub fn path_of(controller: &Path, row: &Row) -> Option<Path> {
    numbers(row).map(|(_, array)| controller.array(array))
}

fn list_row(all: &mut Gathered, controller: &Path, row: &Row) {
    let Some((group, number)) = numbers(row) else {
        return all.reading.unknown_word(controller.clone(), "DG/VD", row.get("DG/VD").unwrap_or(""));
    };
    let at = controller.array(number);
    if let Some(group) = group {
        all.links.array_in_group(controller, group, &at);
    }
    level(&mut all.reading, &at, row);
    state(&mut all.reading, &at, row);
    cache_policy(&mut all.reading, &at, row);
    access(&mut all.reading, &at, row);
    let array = all.reading.array(&at);
    array.name = row.stated("Name").map(str::to_owned).or(array.name.take());
    array.size_bytes = row.get("Size").and_then(|s| scan::size_bytes(s, true)).or(array.size_bytes);
}

fn level(reading: &mut Reading, at: &Path, row: &Row) {
    let Some(word) = row.stated("TYPE") else { return };
    let array = reading.array(at);
    array.level_said = Some(word.to_owned());
    array.level = Level::parse(word);
    let caching = word.to_ascii_lowercase().starts_with("cac");
    array.is_cache_device = caching;
    if array.level.is_none() && !caching {
        reading.unknown_word(at.clone(), "RAID level", word);
    }
}

fn state(reading: &mut Reading, at: &Path, row: &Row) {
    let Some(word) = row.get("State") else {
        reading.array(at).state = Some(Observed::new(ArrayState::Unknown, "no State"));
        return reading.note(NoteKind::Unreadable, at.clone(), "an array is listed without its State");
    };
    let state = vocabulary::array_state(word);
    if state.is_none() {
        reading.unknown_word(at.clone(), "array state", word);
    }
    let array = reading.array(at);
    array.state = Some(Observed::new(state.unwrap_or(ArrayState::Unknown), word));
    let parity = array.level.is_some_and(Level::is_parity);
    if row.get("Consist").is_some() {
        reading.findings.retain(|f| !(f.at == *at && f.what.state == FindingKind::NoRedundancyYet));
    }
    if parity && state == Some(ArrayState::Optimal) && row.get("Consist").is_some_and(|c| c.eq_ignore_ascii_case("no"))
    {
        push_once(reading, Finding::new(at.clone(), FindingKind::NoRedundancyYet, "Consist: No"));
    }
}

fn push_once(reading: &mut Reading, finding: Finding) {
    if !reading.findings.iter().any(|f| f.at == finding.at && f.what.state == finding.what.state) {
        reading.findings.push(finding);
    }
}

fn cache_policy(reading: &mut Reading, at: &Path, row: &Row) {
    let Some(word) = row.stated("Cache") else { return };
    let Some(policy) = vocabulary::cache_column(word) else {
        return reading.unknown_word(at.clone(), "cache policy", word);
    };
    let cache = &mut reading.array(at).cache;
    cache.current_write = Some(policy.write);
    cache.said_current = Some(word.to_owned());
    cache.read_ahead = Some(policy.read_ahead);
    cache.write_back_without_battery = Some(policy.always);
    if let Some(word) = row.stated("DefaultCache") {
        default_column(reading, at, word);
    }
}

/// Generation 2 prints what is configured beside what is in force.
fn default_column(reading: &mut Reading, at: &Path, word: &str) {
    let Some(policy) = vocabulary::cache_column(word) else {
        return reading.unknown_word(at.clone(), "default cache policy", word);
    };
    let cache = &mut reading.array(at).cache;
    cache.default_write = Some(policy.write);
    cache.said_default = Some(word.to_owned());
}

/// Blocked: the host cannot reach it. Read only: the host cannot write to it.
fn access(reading: &mut Reading, at: &Path, row: &Row) {
    let Some(word) = row.get("Access") else { return };
    let meaning = match word {
        "RW" | "RWTrans" | "-" | "" => return,
        "B" | "Blkd" | "Blocked" => "blocked",
        "RO" => "read only",
        other => return reading.unknown_word(at.clone(), "Access", other),
    };
    let said = format!("Access: {word} ({meaning})");
    push_once(reading, Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
}

fn section_of_array(all: &mut Gathered, controller: &Path, section: &Section) {
    let number = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    if let Some(rest) = section.title.strip_prefix("PDs for VD ") {
        let at = controller.array(number(rest));
        for row in &section.rows {
            let pair = disks::path_of(controller, row).map(|disk| (at.clone(), disk));
            all.links.listed.extend(pair.filter(|p| !all.links.listed.contains(p)));
        }
    } else if let Some(rest) = section.title.strip_prefix("VD").filter(|r| r.ends_with("Properties")) {
        let digits = number(rest.trim_start());
        if !digits.is_empty() {
            properties(&mut all.reading, &controller.array(digits), section);
        }
    }
}

fn properties(reading: &mut Reading, at: &Path, section: &Section) {
    let count = |name: &str| section.property(name).and_then(scan::count).and_then(|n| u32::try_from(n).ok());
    let array = reading.array(at);
    if let (Some(depth), Some(each)) = (count("Span Depth"), count("Number of Drives Per Span")) {
        array.width = depth.checked_mul(each).or(array.width);
    }
    array.device = section.property("OS Drive Name").map(str::to_owned).or(array.device.take());
    if let Some(alias) = section.property("SCSI NAA Id").and_then(Alias::array_uid) {
        array.aliases.push(alias);
    }
    if let Some(word) = section.property("Disk Cache Policy") {
        array.cache.disk_cache = match word {
            "Enabled" => Some(true),
            "Disabled" => Some(false),
            _ => None,
        };
    }
    default_policy(reading, at, section);
    lost_sectors(reading, at, section);
    for (name, bad, kind) in COMPLAINTS {
        if section.property(name).is_some_and(|v| v.eq_ignore_ascii_case(bad)) {
            push_once(reading, Finding::new(at.clone(), *kind, format!("{name}: {bad}")));
        }
    }
}

/// Properties of an array that say, by this word, that something is amiss (generation 2).
const COMPLAINTS: &[(&str, &str, FindingKind)] = &[
    ("Cache Preserved", "Yes", FindingKind::CachePreserved),
    ("Reached LD BBM failure threshold", "Yes", FindingKind::SectorsLost),
    ("VD Ready for OS Requests", "No", FindingKind::ToolReportsFault),
];

fn default_policy(reading: &mut Reading, at: &Path, section: &Section) {
    let Some(word) = section.property("Write Cache(initial setting)") else { return };
    let Some((write, always)) = vocabulary::initial_write(word) else {
        return reading.unknown_word(at.clone(), "Write Cache(initial setting)", word);
    };
    let cache = &mut reading.array(at).cache;
    cache.default_write = Some(write);
    cache.said_default = Some(word.to_owned());
    if always {
        cache.write_back_without_battery = Some(true);
    }
}

fn lost_sectors(reading: &mut Reading, at: &Path, section: &Section) {
    if let Some(word) = section.property("Bad Blocks Exist").or_else(|| section.property("Bad block exists")) {
        reading.array(at).bad_blocks = Some(word.eq_ignore_ascii_case("yes"));
    }
}

/// Rows DRIVE of the topology: `DG Arr Row EID:Slot DID Type State …`.
fn topology(all: &mut Gathered, place: &Place<'_>) {
    let rows = place.reply.titled("TOPOLOGY").flat_map(|s| &s.rows);
    let slots: Vec<Slot> = rows.filter_map(|row| slot(place.at, row)).collect();
    if !slots.is_empty() {
        all.links.slots.retain(|s| s.controller != *place.at);
        all.links.slots.extend(slots);
    }
}

fn slot(controller: &Path, row: &Row) -> Option<Slot> {
    let (group, span, place) = (row.stated("DG")?, row.stated("Arr")?, row.stated("Row")?);
    if row.get("Type") != Some("DRIVE") {
        return None;
    }
    let state = row.get("State").and_then(vocabulary::disk_state);
    if state == Some(DiskState::HotSpare) {
        return None;
    }
    let at = disks::path_of(controller, row)
        .unwrap_or_else(|| controller.missing_member(format_args!("{group}.{span}.{place}")));
    let in_sync = state.map(|s| s == DiskState::Online).filter(|_| state != Some(DiskState::CopyingBack));
    let member = Member { disk: at, group: span.parse().unwrap_or(0), in_sync };
    Some(Slot { controller: controller.clone(), group: group.to_owned(), member })
}

impl Links {
    fn array_in_group(&mut self, controller: &Path, group: &str, array: &Path) {
        self.groups.retain(|(_, _, a)| a != array);
        self.groups.push((controller.clone(), group.to_owned(), array.clone()));
    }

    pub fn disk_in_group(&mut self, disk: &Path, group: &str) {
        self.disks.retain(|(d, _)| d != disk);
        self.disks.push((disk.clone(), group.to_owned()));
    }

    /// `DriveGroup:0, Span:1, Row:4`
    pub fn disk_position(&mut self, disk: &Path, text: &str) {
        let span = text.split(',').find_map(|part| part.trim().strip_prefix("Span:"));
        if let Some(span) = span.and_then(|s| s.trim().parse().ok()) {
            self.spans.push((disk.clone(), span));
        }
    }

    /// Gives arrays their members and disks their array.
    pub fn join(&self, reading: &mut Reading) {
        let members: Vec<Vec<Member>> = reading.arrays.iter().map(|a| self.members(a, reading)).collect();
        for (array, members) in reading.arrays.iter_mut().zip(members) {
            let drawn = self.slots_of(array).count();
            if drawn > 0 {
                array.width = u32::try_from(drawn).ok();
            }
            array.members = members;
        }
        for (disk, group) in &self.disks {
            let array = self.groups.iter().find(|(c, g, _)| *c == disk.root() && g == group).map(|(_, _, a)| a.clone());
            if let Some(disk) = reading.disks.iter_mut().find(|d| d.at == *disk) {
                disk.array = array;
            }
        }
    }

    fn group_of(&self, array: &Array) -> Option<(&Path, &str)> {
        self.groups.iter().find(|(_, _, a)| *a == array.at).map(|(c, g, _)| (c, g.as_str()))
    }

    fn slots_of<'a>(&'a self, array: &Array) -> impl Iterator<Item = &'a Slot> {
        let wanted = self.group_of(array).map(|(c, g)| (c.clone(), g.to_owned()));
        self.slots.iter().filter(move |s| wanted.as_ref().is_some_and(|(c, g)| s.controller == *c && s.group == *g))
    }

    fn members(&self, array: &Array, reading: &Reading) -> Vec<Member> {
        let drawn: Vec<Member> = self.slots_of(array).map(|s| s.member.clone()).collect();
        if !drawn.is_empty() {
            return drawn;
        }
        let mut named: Vec<&Path> = self.listed.iter().filter(|(a, _)| *a == array.at).map(|(_, d)| d).collect();
        if let (true, Some((controller, group))) = (named.is_empty(), self.group_of(array)) {
            let here = |(d, g): &&(Path, String)| d.root() == *controller && g == group;
            named = self.disks.iter().filter(here).map(|(d, _)| d).collect();
        }
        named.dedup();
        let spare = |at: &Path| reading.disks.iter().any(|d| d.at == *at && d.spare == Some(SpareScope::Dedicated));
        named.into_iter().filter(|at| !spare(at)).map(|at| self.member(at, reading)).collect()
    }

    fn member(&self, at: &Path, reading: &Reading) -> Member {
        let state = reading.disks.iter().find(|d| d.at == *at).and_then(|d| d.state.as_ref()).map(|s| s.state);
        let in_sync = match state {
            Some(DiskState::Online) => Some(true),
            Some(DiskState::Failed | DiskState::Offline | DiskState::Missing | DiskState::Rebuilding) => Some(false),
            _ => None,
        };
        let group = self.spans.iter().find(|(d, _)| d == at).map_or(0, |(_, span)| *span);
        Member { disk: at.clone(), group, in_sync }
    }
}
