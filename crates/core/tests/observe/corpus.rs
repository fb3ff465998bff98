//! Every kernel log of the corpus. It states no verdicts for them, only automatic marks (`blk I/O
//! errorx10`): a marked file must give an observation that is a fault by itself. Whole boot logs (the
//! others are excerpts somebody posted because something had failed) must give none.

use super::disagreements::{FAULT_DESPITE_NO_MARKS, QUIET_DESPITE_MARKS};
use super::{is_fault, scan, shared};
use raidmond_core::observe::{Counts, LogKind, Observation};

const FAULT_MARKS: [&str; 6] =
    ["blk I/O error", "Buffer I/O", "md disk failure", "md read error", "btrfs csum", "offline"];

#[test]
fn marked_logs_are_faults_and_unmarked_are_not() {
    let Some(root) = shared("corpus") else { return };
    let manifest = std::fs::read_to_string(root.join("MANIFEST.tsv")).expect("readable");
    let (mut files, mut marked, mut boots, mut told, mut wrong) = (0, 0, 0, 0, Vec::new());
    let mut counts = Counts::default();
    for row in manifest.lines().filter(|row| row.starts_with("kernel_log/")) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (path, verdict, facts) = (cells[0], cells[7], cells[8]);
        let scan = scan(LogKind::Syslog, &std::fs::read(root.join(path)).expect("readable"));
        let faults: Vec<&Observation> = scan.observations.iter().filter(|o| is_fault(o.sign)).collect();
        let auto = facts.rsplit("lines=").next().unwrap_or("");
        let mark = FAULT_MARKS.iter().any(|m| auto.contains(m)) || matches!(verdict, "critical" | "warning");
        files += 1;
        marked += usize::from(mark);
        let boot = cells[9] == "auto";
        boots += usize::from(boot);
        told += usize::from(!boot && !faults.is_empty());
        counts.lines += scan.counts.lines;
        counts.matched += scan.counts.matched;
        let listed = |table: &[(&str, &str)]| table.iter().any(|(end, _)| path.ends_with(end));
        match (mark, faults.first()) {
            (true, None) if !listed(QUIET_DESPITE_MARKS) => wrong.push(format!("quiet: {path}: {auto}")),
            (false, Some(first)) if boot && !listed(FAULT_DESPITE_NO_MARKS) => {
                wrong.push(format!("{} faults: {path}: {:?} {} {}", faults.len(), first.sign, first.rule, first.said));
            }
            _ => {}
        }
    }
    let excerpts = files - boots;
    println!(
        "corpus: {files} logs, {marked} marked; {told} of {excerpts} excerpts give a fault, {boots} boot logs; {counts:?}"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files > 100);
}
