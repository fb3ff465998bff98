//! The status screen: verdict first, then arrays, disks by slot, caches, sources, incidents.

use super::checks;
use super::paint::{Paint, columns, cut, visible};
use crate::serve::status::{IncidentDoc, StatusDoc};
use crate::serve::wire::{ArrayDoc, CacheDoc, DiskDoc};
use jiff::Timestamp;
use raidmond_core::tell::{bytes, duration};
use std::collections::BTreeMap;

pub struct Screen<'a> {
    pub doc: &'a StatusDoc,
    pub now: Timestamp,
    pub width: usize,
    pub paint: Paint,
    /// Read from the state file: no daemon answers.
    pub from_file: bool,
}

impl Screen<'_> {
    pub fn text(&self) -> String {
        let mut lines = self.head();
        let sections = [
            self.arrays(),
            self.disks(),
            self.cache(),
            self.tasks(),
            self.checks(),
            self.watching(),
            self.incidents(),
            self.channels(),
        ];
        for section in sections.into_iter().filter(|s| !s.is_empty()) {
            lines.push(String::new());
            lines.extend(section);
        }
        if !self.doc.cautions.is_empty() {
            let cautions: Vec<String> = self.doc.cautions.iter().map(|c| visible(c)).collect();
            lines.push(String::new());
            lines.extend(titled("CONFIG", &cautions).iter().map(|l| self.paint.yellow(l)));
        }
        if !self.doc.next.is_empty() {
            lines.push(String::new());
            lines.extend(titled("NEXT", &self.doc.next));
        }
        lines.iter().map(|l| format!("{l}\n")).collect()
    }

    fn head(&self) -> Vec<String> {
        let doc = self.doc;
        let mut lines = Vec::new();
        if doc.drill {
            lines.push(self.paint.yellow("DRILL: a simulated host"));
        }
        if let Some(why) = &doc.nobody_told {
            lines.push(self.paint.red(&format!("NOBODY WILL BE TOLD: {}", visible(why))));
        }
        if self.from_file {
            lines.push(self.paint.red(&super::status::no_daemon(doc, self.now)));
        }
        let age = doc
            .read_at
            .map_or("never read".to_owned(), |at| format!("read {} ago", duration(self.now.duration_since(at))));
        let verdict = doc.verdict.to_uppercase();
        let plain = format!("{}   {verdict}   {}", visible(&doc.host), visible(&doc.headline));
        let room = self.width.saturating_sub(age.chars().count() + 3).max(20);
        let text = cut(&plain, room);
        let pad = " ".repeat(self.width.saturating_sub(text.chars().count() + age.chars().count()).max(3));
        let painted = text.replacen(&verdict, &self.paint.severity(&doc.verdict, &verdict), 1);
        lines.push(format!("{painted}{pad}{age}"));
        if let Some(until) = doc.maintenance_until {
            lines.push(self.paint.yellow(&format!(
                "maintenance for another {}; only emergencies are told",
                duration(until.duration_since(self.now))
            )));
        }
        lines
    }

    fn arrays(&self) -> Vec<String> {
        if self.doc.objects.arrays.is_empty() {
            return Vec::new();
        }
        let header = ["ARRAYS", "NAME", "LEVEL", "SIZE", "STATE", "SURVIVES", "ON"].map(str::to_owned).to_vec();
        let rows = std::iter::once(header).chain(self.doc.objects.arrays.iter().map(|a| self.array_row(a)));
        self.fitting(columns(&rows.collect::<Vec<_>>()))
    }

    fn fitting(&self, lines: Vec<String>) -> Vec<String> {
        lines.iter().map(|l| cut(l, self.width.max(40))).collect()
    }

    fn array_row(&self, a: &ArrayDoc) -> Vec<String> {
        let state = a.state.as_ref();
        let word = state.map_or("not read", |s| s.state.as_str());
        let mark = match word {
            "optimal" if a.redundancy_left == a.redundancy_built => '✓',
            "optimal" | "degraded" | "failed" => '✗',
            "partly-degraded" => '!',
            "rebuilding" | "initialising" => '~',
            _ => '?',
        };
        let survives = match (a.redundancy_left, a.restoring) {
            (Some(0), true) => "nothing until rebuilt".to_owned(),
            (Some(0), false) if a.redundancy_built == Some(0) => "none by design".to_owned(),
            (Some(0), false) => "nothing".to_owned(),
            (Some(n), _) => n.to_string(),
            (None, _) => "?".to_owned(),
        };
        let on = a.device.iter().chain(&a.mounts).cloned().collect::<Vec<_>>().join("  ");
        vec![
            format!(" {mark} {}", visible(&a.name)),
            visible(a.label.as_deref().unwrap_or("")),
            visible(a.level.as_deref().unwrap_or("?")),
            a.size_bytes.map(bytes).unwrap_or_default(),
            word.to_owned(),
            survives,
            visible(&on),
        ]
    }

    fn disks(&self) -> Vec<String> {
        let mut groups: BTreeMap<String, Vec<&DiskDoc>> = BTreeMap::new();
        for disk in &self.doc.objects.disks {
            let controller = disk.name.split('/').next().unwrap_or("").to_owned();
            let place = disk
                .enclosure
                .as_deref()
                .filter(|e| !e.is_empty())
                .map(|e| format!(" enclosure {e}"))
                .unwrap_or_default();
            groups.entry(format!("{controller}{place}")).or_default().push(disk);
        }
        let mut lines = Vec::new();
        for (name, mut disks) in groups {
            let title = if lines.is_empty() { "DISKS" } else { "" };
            let legend = if lines.is_empty() { "        ✗ failed  ! warning  s hot spare  ~ rebuilding" } else { "" };
            lines.push(format!("{title:<10} {}{legend}", visible(&name)));
            disks.sort_by_key(|d| slot_number(d));
            for row in disks.chunks(16) {
                let rows = [
                    row.iter().map(|d| slot_words(d)).collect(),
                    row.iter().map(|d| self.mark(d).to_owned()).collect(),
                ];
                lines.extend(columns(&rows).into_iter().map(|l| format!("             {l}")));
            }
            let notable: Vec<Vec<String>> = disks.iter().filter_map(|d| self.notable(d)).collect();
            lines.extend(columns(&notable).into_iter().map(|l| format!("           {l}")));
        }
        self.fitting(lines)
    }

    fn faults_of(&self, name: &str) -> Vec<String> {
        let is_fault = |s: &str| matches!(s, "warning" | "blind" | "critical" | "emergency");
        let mine = self.doc.conditions.iter().filter(|c| c.subject == name && is_fault(&c.severity));
        mine.map(|c| c.headline.replacen(&format!("disk {name}"), "", 1).trim_matches([' ', ':']).to_owned()).collect()
    }

    fn mark(&self, disk: &DiskDoc) -> &'static str {
        match disk.state.as_ref().map(|s| s.state.as_str()) {
            Some("failed" | "missing" | "offline" | "unconfigured-bad") => "✗",
            Some("rebuilding" | "copying-back") => "~",
            _ if !self.faults_of(&disk.name).is_empty() => "!",
            Some("hot-spare") => "s",
            Some("empty") => ".",
            None | Some("unknown") => "?",
            Some(_) => "ok",
        }
    }

    fn notable(&self, disk: &DiskDoc) -> Option<Vec<String>> {
        let mark = self.mark(disk);
        if matches!(mark, "ok" | "s" | ".") {
            return None;
        }
        let word = match mark {
            "!" => "warning",
            _ => disk.state.as_ref().map_or("not read", |s| s.state.as_str()),
        };
        let faults = if mark == "!" { self.faults_of(&disk.name).join("; ") } else { String::new() };
        let cells = [
            disk.name.as_str(),
            word,
            disk.model.as_deref().unwrap_or(""),
            disk.serial.as_deref().unwrap_or(""),
            &faults,
        ];
        Some(cells.iter().map(|c| visible(c)).collect())
    }

    fn cache(&self) -> Vec<String> {
        let rows: Vec<String> = self
            .doc
            .objects
            .caches
            .iter()
            .filter(|c| c.state.as_ref().is_none_or(|s| s.state != "not-fitted"))
            .map(|c| {
                let state = c.state.as_ref().map_or("not read".to_owned(), |s| s.state.clone());
                let replace = if c.replace == Some(true) { ", must be replaced" } else { "" };
                let charge = c.charge_percent.map(|p| format!(", charge {p} %")).unwrap_or_default();
                format!("{}{} {} {state}{charge}{replace}", cache_mark(c), visible(&c.name), c.kind)
            })
            .collect();
        titled("CACHE", &rows)
    }

    fn tasks(&self) -> Vec<String> {
        let rows = self.doc.objects.tasks.iter().map(|t| {
            let bar = t.percent.map(bar).unwrap_or_default();
            let left = t
                .seconds_left
                .map(|s| format!(", {} left", duration(jiff::SignedDuration::from_secs(s as i64))))
                .unwrap_or_default();
            format!("{} {} {}{bar}{left}", visible(&t.on), t.kind, t.state.state)
        });
        let rows: Vec<String> = rows.collect();
        titled("TASKS", &rows)
    }

    /// Of arrays that raidmond checks, or that were seen checked.
    fn checks(&self) -> Vec<String> {
        let told = self.doc.checks.iter().filter(|c| c.runs || c.running.is_some() || !c.results.is_empty());
        let rows: Vec<Vec<String>> = told.map(|c| vec![visible(&c.array), checks::state(c, self.now)]).collect();
        self.fitting(titled("CHECKS", &columns(&rows)))
    }

    fn watching(&self) -> Vec<String> {
        let rows = self.doc.watching.iter().map(|s| {
            let age = s.at.map(|at| format!(" ({} ago)", duration(self.now.duration_since(at)))).unwrap_or_default();
            let said = s.said.as_deref().map(|w| format!(": {}", visible(w))).unwrap_or_default();
            match s.state.as_str() {
                "read" => format!("{}{age}", visible(&s.name)),
                other => format!("{} {other}{age}{said}", visible(&s.name)),
            }
        });
        let rows: Vec<String> = rows.collect();
        self.fitting(titled("WATCHING", &rows))
    }

    fn incidents(&self) -> Vec<String> {
        let open = self.doc.incidents.iter().filter(|i| i.closed_at.is_none());
        let rows: Vec<String> = open.map(|i| self.incident(i)).collect();
        self.fitting(titled("INCIDENTS", &rows))
    }

    fn incident(&self, i: &IncidentDoc) -> String {
        let age = duration(self.now.duration_since(i.opened_at));
        let ack = i.acknowledged_until.map(|_| ", acknowledged".to_owned()).unwrap_or_default();
        let told = match (i.deliveries.last(), i.told) {
            (Some(delivery), _) => without_reply(delivery),
            (None, true) => "told",
            (None, false) => "not told yet",
        };
        format!("#{} {}, open {age}{ack}: {} — {}", i.id, i.severity, visible(&i.headline), visible(told))
    }

    fn channels(&self) -> Vec<String> {
        let trouble = self.doc.channels.iter().filter(|c| c.failing_since.is_some() || c.waiting > 0);
        let rows: Vec<String> = trouble
            .map(|c| {
                let failing = c
                    .failing_since
                    .map(|at| format!(" failing for {}", duration(self.now.duration_since(at))))
                    .unwrap_or_default();
                let said = c.said.as_deref().map(|s| format!(": {}", visible(s))).unwrap_or_default();
                format!("{}{failing}, {} waiting{said}", visible(&c.name), c.waiting)
            })
            .collect();
        titled("CHANNELS", &rows)
    }
}

/// "mail accepted 20:53:34" of "mail accepted 20:53:34: 250 2.0.0 Ok".
fn without_reply(delivery: &str) -> &str {
    delivery.split_once(": ").map_or(delivery, |(words, _)| words)
}

fn titled(title: &str, rows: &[String]) -> Vec<String> {
    rows.iter().enumerate().map(|(n, row)| format!("{:<10} {row}", if n == 0 { title } else { "" })).collect()
}

/// As disks are marked; see the word beside it for what it means.
fn cache_mark(cache: &CacheDoc) -> &'static str {
    match cache.state.as_ref().map(|s| s.state.as_str()) {
        Some("failed" | "missing") => "✗ ",
        _ if cache.replace == Some(true) => "! ",
        Some("weak") => "! ",
        None | Some("unknown") => "? ",
        Some(_) => "",
    }
}

fn bar(percent: f64) -> String {
    let filled = (percent / 10.0).round().clamp(0.0, 10.0) as usize;
    format!(" {}{} {percent:.0} %", "█".repeat(filled), "░".repeat(10 - filled))
}

fn slot_words(disk: &DiskDoc) -> String {
    visible(disk.slot.as_deref().unwrap_or_else(|| disk.name.rsplit('/').next().unwrap_or(&disk.name)))
}

fn slot_number(disk: &DiskDoc) -> (u32, String) {
    let slot = slot_words(disk);
    let digits: String = slot.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u32::MAX), slot)
}

#[cfg(test)]
mod tests {
    use super::without_reply;

    #[test]
    fn the_servers_reply_is_left_to_the_incident() {
        assert_eq!(without_reply("mail accepted 20:53:34: 250 2.0.0 Ok"), "mail accepted 20:53:34");
        assert_eq!(without_reply("mail accepted 20:53:34"), "mail accepted 20:53:34");
    }
}
