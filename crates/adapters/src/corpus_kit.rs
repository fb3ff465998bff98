//! Tests over the shared corpus, which is read in place: other people's captures, under their licences.

use raidmond_core::model::{ArrayState, CacheState, ControllerState, DiskState, FindingKind, PartState, TaskState};
use raidmond_core::survey::{NoteKind, Reading};
use std::path::PathBuf;

pub struct Row {
    pub path: String,
    pub command: String,
    pub verdict: String,
    pub basis: String,
    pub bytes: Vec<u8>,
}

/// The rows of MANIFEST.tsv under a prefix with their bytes; `None`, said aloud, without the corpus.
pub fn corpus_rows(prefix: &str) -> Option<Vec<Row>> {
    let folder = shared().join("corpus");
    let Ok(manifest) = std::fs::read_to_string(folder.join("MANIFEST.tsv")) else {
        println!("SKIPPED: no corpus at {}, 0 files of {prefix} read", folder.display());
        return None;
    };
    let mut lines = manifest.lines();
    let names: Vec<&str> = lines.next()?.split('\t').collect();
    let column = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let (path, command, verdict, basis) = (column("path"), column("command"), column("verdict"), column("basis"));
    let row = |line: &str| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let bytes = std::fs::read(folder.join(&cells[path])).unwrap();
        let cell = |index: usize| cells.get(index).cloned().unwrap_or_default();
        Row { path: cell(path), command: cell(command), verdict: cell(verdict), basis: cell(basis), bytes }
    };
    Some(lines.filter(|l| l.starts_with(prefix)).map(row).collect())
}

/// A case's transcript, or `None` without the shared folder.
pub fn case(name: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(shared().join("cases").join(name).join("input.txt")).ok();
    if bytes.is_none() {
        println!("SKIPPED: case {name} is not there");
    }
    bytes
}

fn shared() -> PathBuf {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os("RAIDMOND_SHARED").map_or(beside, PathBuf::from)
}

/// Everything in a reading that is not well, in words.
pub fn unhealthy(reading: &Reading) -> Vec<String> {
    let mut found = Vec::new();
    for array in &reading.arrays {
        let well = |s: &ArrayState| matches!(s, ArrayState::Optimal | ArrayState::Initialising | ArrayState::Inactive);
        found.extend(array.state.iter().filter(|s| !well(&s.state)).map(|s| format!("{} {s:?}", array.at)));
    }
    for disk in &reading.disks {
        use DiskState::{Failed, Foreign, Missing, Offline, UnconfiguredBad, Unknown};
        let sick = |s: &DiskState| matches!(s, Failed | Foreign | Missing | Offline | UnconfiguredBad | Unknown);
        found.extend(disk.state.iter().filter(|s| sick(&s.state)).map(|s| format!("{} {s:?}", disk.at)));
        found.extend(disk.predictive.iter().filter(|p| p.state).map(|p| format!("{} {p:?}", disk.at)));
    }
    for cache in &reading.caches {
        let sick = |s: &CacheState| {
            matches!(s, CacheState::Weak | CacheState::Failed | CacheState::Missing | CacheState::Unknown)
        };
        found.extend(cache.state.iter().filter(|s| sick(&s.state)).map(|s| format!("{} {s:?}", cache.at)));
    }
    for part in reading.enclosures.iter().flat_map(|e| &e.parts) {
        if !matches!(part.state.state, PartState::Ok | PartState::NotInstalled) {
            found.push(format!("{} {:?}", part.name, part.state));
        }
    }
    for controller in &reading.controllers {
        let sick = controller.state.iter().filter(|s| s.state != ControllerState::Optimal);
        found.extend(sick.map(|s| format!("{} {s:?}", controller.at)));
        let hurt = controller.arrays_degraded_counted.filter(|n| *n > 0);
        found.extend(hurt.map(|n| format!("{} counts {n} degraded", controller.at)));
    }
    let failed = reading.tasks.iter().filter(|t| t.state.state == TaskState::Failed);
    found.extend(failed.map(|t| format!("{} {:?}", t.on, t.state)));
    let findings = reading.findings.iter().filter(|f| f.what.state != FindingKind::ToolReportsNotice);
    found.extend(findings.map(|f| format!("{} {:?}", f.at, f.what)));
    let notes = reading.notes.iter().filter(|n| !matches!(n.kind, NoteKind::Remark | NoteKind::Mutation));
    found.extend(notes.map(|n| format!("{} {:?} {}", n.at, n.kind, n.said)));
    found
}
