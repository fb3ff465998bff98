//! `ipssend getconfig` to facts.

use super::vocabulary as words;
use super::{CONFIG, MUTATION, TOOLS};
use crate::scan;
use raidmond_core::model::{
    Alias, ArrayState, DiskState, Finding, FindingKind, Level, Member, Observed, Path, Space, WriteCache,
};
use raidmond_core::survey::{Answer, Asked, Covers, Heard, Known, NoteKind, Reading, Scope};

const COMPLETED: &str = "Command completed successfully";

pub fn lower(known: &Known, heard: &Heard) -> Reading {
    let mut r = Reading::new("ips", Space::OldScsi);
    for (kind, answer) in heard.all().filter(|(_, a)| !a.outcome.not_captured) {
        let at = controller(known, &answer.asked);
        if kind == MUTATION {
            let said = format!("`{}` changes something; its answer is not judged", answer.asked);
            r.note(NoteKind::Mutation, at, said);
        } else if kind == CONFIG {
            config(&mut r, &at, answer);
        }
    }
    r
}

fn controller(known: &Known, asked: &Asked) -> Path {
    let named = asked.args_lower().into_iter().find(|w| w.parse::<u32>().is_ok());
    match &known.scope {
        Scope::Controller(number) => Path::controller(number),
        _ => Path::controller(format_args!("ips{}", named.as_deref().unwrap_or("1"))),
    }
}

fn config(r: &mut Reading, at: &Path, answer: &Answer) {
    if !answer.outcome.ended() {
        let said = format!("`{}`: {}", answer.asked, answer.outcome.words());
        return r.note(NoteKind::ToolFailed, at.clone(), said);
    }
    let text = scan::clean(&answer.text());
    let count =
        text.lines().find_map(|l| l.trim().strip_prefix("Found ")?.strip_suffix(" IBM ServeRAID controller(s)."));
    if let Some(count) = count.and_then(scan::count) {
        (1..=count.min(16)).for_each(|n| {
            r.controller(&Path::controller(format_args!("ips{n}")));
        });
        r.coverage.add(&Path::default(), Covers::Controllers);
    }
    let mut reader = Reader { r, at, array: None, channel: None, disk: None, letters: Vec::new() };
    text.lines().map(str::trim).for_each(|line| reader.line(line));
    reader.finish(&text, answer);
}

struct Reader<'a> {
    r: &'a mut Reading,
    at: &'a Path,
    array: Option<Path>,
    channel: Option<String>,
    disk: Option<Path>,
    /// (array of ServeRAID, logical drive)
    letters: Vec<(String, Path)>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) {
        if let Some(number) = line.strip_prefix("Logical drive number ") {
            self.array = Some(self.at.array(number.trim()));
            self.disk = None;
        } else if let Some(number) = line.strip_prefix("Channel #") {
            (self.channel, self.array) = (Some(number.trim_end_matches(':').trim().to_owned()), None);
        } else if let Some(id) = line.strip_prefix("Target on SCSI ID ") {
            self.disk = Some(self.at.slot(self.channel.as_deref(), id.trim()));
        } else if let Some(rest) = line.strip_prefix("Array ").filter(|l| l.contains("stripe order")) {
            self.stripe_order(rest);
        } else if let Some((key, value)) = scan::key_value(line, ':') {
            match (self.array.clone(), self.disk.clone()) {
                (Some(at), None) => self.of_array(&at, key, value),
                (_, Some(at)) => self.of_disk(&at, key, value),
                (None, None) => self.of_card(key, value),
            }
        }
    }

    fn of_card(&mut self, key: &str, value: &str) {
        let card = self.r.controller(self.at);
        match key {
            "Controller type" => card.model = Some(value.to_owned()),
            "Firmware version" => card.firmware = Some(value.to_owned()),
            "Controller serial number" => {
                card.aliases.extend(Alias::serial(value));
                card.serial = Some(value.to_owned());
            }
            _ => {}
        }
    }

    fn of_array(&mut self, at: &Path, key: &str, value: &str) {
        match key {
            "Status of logical drive" => self.status(at, value),
            "RAID level" => self.level(at, value),
            "Size (in MB)" => self.r.array(at).size_bytes = scan::count(value).and_then(|n| n.checked_mul(1 << 20)),
            "Number of chunks" => self.r.array(at).width = scan::count(value).and_then(|n| u32::try_from(n).ok()),
            "Part of array" => self.letters.push((value.to_owned(), at.clone())),
            "Write cache status" => self.write_cache(at, value),
            "Access blocked" if value.eq_ignore_ascii_case("yes") => {
                let finding = Finding::new(at.clone(), FindingKind::ToolReportsFault, "Access blocked: Yes");
                self.r.findings.push(finding);
            }
            _ => {}
        }
    }

    fn status(&mut self, at: &Path, value: &str) {
        let state = words::logical_state(value);
        if state.is_none() {
            self.r.unknown_word(at.clone(), "status of logical drive", value);
        }
        self.r.array(at).state = Some(Observed::new(state.unwrap_or(ArrayState::Unknown), value));
    }

    fn level(&mut self, at: &Path, value: &str) {
        let level = Level::parse(value);
        if level.is_none() {
            self.r.unknown_word(at.clone(), "RAID level", value);
        }
        let array = self.r.array(at);
        (array.level, array.level_said) = (level, Some(value.to_owned()));
    }

    fn write_cache(&mut self, at: &Path, value: &str) {
        let cache = &mut self.r.array(at).cache;
        cache.said_current = Some(value.to_owned());
        cache.current_write = match value {
            v if v.starts_with("Write back") => Some(WriteCache::WriteBack),
            v if v.starts_with("Write through") => Some(WriteCache::WriteThrough),
            _ => None,
        };
    }

    fn of_disk(&mut self, at: &Path, key: &str, value: &str) {
        match key {
            "State" => {
                let state = words::disk_state(value);
                if state.is_none() {
                    self.r.unknown_word(at.clone(), "state", value);
                }
                self.r.disk(at).state = Some(Observed::new(state.unwrap_or(DiskState::Unknown), value));
            }
            "PFA (Yes/No)" => {
                let predicted = !value.eq_ignore_ascii_case("no");
                self.r.disk(at).predictive = Some(Observed::new(predicted, format!("PFA: {value}")));
            }
            "Device ID" => self.r.disk(at).model = Some(value.to_owned()),
            "Serial number" => {
                let disk = self.r.disk(at);
                disk.aliases.extend(Alias::serial(value));
                disk.serial = Some(value.to_owned());
            }
            _ => {}
        }
    }

    /// `A stripe order (Channel/SCSI ID)  : 1,0 1,1`
    fn stripe_order(&mut self, rest: &str) {
        let Some((head, order)) = rest.rsplit_once(':') else { return };
        let letter = head.split_whitespace().next().unwrap_or("");
        let places: Vec<Path> = order
            .split_whitespace()
            .filter_map(|place| place.split_once(','))
            .map(|(channel, id)| self.at.slot(Some(channel), id))
            .collect();
        let mine: Vec<Path> = self.letters.iter().filter(|(l, _)| l == letter).map(|(_, at)| at.clone()).collect();
        for at in mine {
            for disk in &places {
                // Without the list of disks their names are all that is known of them.
                if let Some(known) = self.r.disks.iter_mut().find(|d| d.at == *disk) {
                    known.array = Some(at.clone());
                }
            }
            let listed = |d: &&Path| self.r.disks.iter().any(|k| k.at == **d);
            let members: Vec<Path> = places.iter().filter(listed).cloned().collect();
            self.r.array(&at).members = members.into_iter().map(|disk| Member { disk, ..Member::default() }).collect();
        }
    }

    fn finish(self, text: &str, answer: &Answer) {
        let Reader { r, at, .. } = self;
        let listed = text.contains("Logical drive information");
        let ended = text.contains(COMPLETED);
        if !listed {
            let first: String =
                text.lines().find(|l| !l.trim().is_empty()).unwrap_or("nothing").trim().chars().take(80).collect();
            let said = format!("the answer to `{}` was not understood: \"{first}\"", answer.asked);
            return r.note_with_remedy(
                NoteKind::Unreadable,
                at.clone(),
                said,
                TOOLS.first().map_or("", |t| t.how_to_get),
            );
        }
        if !ended {
            return r.note(NoteKind::Unreadable, at.clone(), format!("the answer to `{}` is cut off", answer.asked));
        }
        r.coverage.add(at, Covers::Arrays);
        if text.contains("Physical device information") {
            r.coverage.add(at, Covers::Disks);
        }
    }
}
