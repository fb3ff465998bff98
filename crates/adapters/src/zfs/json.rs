//! `zpool status -j` of OpenZFS 2.3 and later → pools. Numbers are strings unless `--json-int` was asked.

use super::raw::{Class, Doing, Pool, Progress, Row, Scan, number};
use crate::scan::count;
use serde_json::Value;

/// `None`: not such a document.
pub fn pools(text: &str) -> Option<Vec<Pool>> {
    let document: Value = serde_json::from_str(text.trim()).ok()?;
    let pools = document.get("pools")?.as_object()?;
    Some(pools.iter().map(|(name, value)| pool(name, value)).collect())
}

fn pool(name: &str, value: &Value) -> Pool {
    let mut pool = Pool { name: name.to_owned(), state: word(value, "state"), ..Pool::default() };
    pool.guid = word(value, "pool_guid");
    pool.status = word(value, "status").unwrap_or_default();
    pool.is_full_listing = true;
    pool.errors = word(value, "error_count").map(|n| match n.as_str() {
        "0" => "No known data errors".to_owned(),
        n => format!("{n} data errors"),
    });
    let scan = value.get("scan_stats").map(scan);
    if let Some(None) = scan {
        let told = |key| value.get("scan_stats").and_then(|s| word(s, key)).unwrap_or_default();
        pool.unread.push(format!("{} {}", told("function"), told("state")));
    }
    pool.scans.extend(scan.flatten().flatten());
    let resilvers = pool.scans.iter().any(|s| s.doing == Doing::Resilver && s.progress == Progress::Running);
    rows(&mut pool.rows, value.get("vdevs"), 0, Class::Normal, resilvers);
    for key in ["dedup", "special", "logs", "l2cache", "spares"] {
        let class = Class::of(key).unwrap_or_default();
        rows(&mut pool.rows, value.get(key), 1, class, resilvers);
    }
    pool
}

fn rows(into: &mut Vec<Row>, vdevs: Option<&Value>, depth: usize, class: Class, resilvers: bool) {
    // Deeper than any pool can be built.
    let Some(vdevs) = vdevs.and_then(Value::as_object).filter(|_| depth < 8) else { return };
    for (name, vdev) in vdevs {
        into.push(row(name, vdev, depth, class, resilvers));
        rows(into, vdev.get("vdevs"), depth + 1, class, resilvers);
    }
}

fn row(name: &str, vdev: &Value, depth: usize, class: Class, resilvers: bool) -> Row {
    let counter = |key: &str| word(vdev, key).and_then(|w| number(&w));
    let is_leaf = vdev.get("vdevs").is_none();
    let written = is_leaf && resilvers && word(vdev, "scan_processed").is_some_and(|w| !w.starts_with("0"));
    let waits = word(vdev, "resilver_deferred").is_some_and(|w| w != "false" && w != "0");
    let mut said: Vec<String> = word(vdev, "was").map(|was| format!("was {was}")).into_iter().collect();
    said.extend(word(vdev, "aux"));
    said.extend(written.then(|| "(resilvering)".to_owned()));
    said.extend(waits.then(|| "(awaiting resilver)".to_owned()));
    Row {
        depth,
        class,
        name: word(vdev, "name").unwrap_or_else(|| name.to_owned()),
        state: word(vdev, "state"),
        read: counter("read_errors"),
        write: counter("write_errors"),
        checksum: counter("checksum_errors"),
        slow: counter("slow_ios"),
        said: said.join(" "),
    }
}

/// `None`: not understood; `Some(None)`: none was ever asked for.
fn scan(stats: &Value) -> Option<Option<Scan>> {
    let doing = match word(stats, "function").as_deref() {
        Some("SCRUB" | "ERRORSCRUB") => Doing::Scrub,
        Some("RESILVER" | "REBUILD") => Doing::Resilver,
        Some("NONE") | None => return Some(None),
        Some(_) => return None,
    };
    let paused = word(stats, "scrub_pause").is_some_and(|w| w != "-" && w != "0");
    let progress = match word(stats, "state").as_deref() {
        Some("SCANNING" | "ERRORSCRUBBING" | "ACTIVE") if paused => Progress::Paused,
        Some("SCANNING" | "ERRORSCRUBBING" | "ACTIVE") => Progress::Running,
        Some("FINISHED" | "COMPLETE") => Progress::Finished,
        Some("CANCELED") => Progress::Canceled,
        Some("NONE") => return Some(None),
        _ => return None,
    };
    let bytes = |key: &str| word(stats, key).and_then(|w| crate::scan::size_bytes(&w, true));
    let share = match (bytes("issued").or_else(|| bytes("examined")), bytes("to_examine")) {
        (Some(done), Some(all)) if all > 0 => Some((done as f64 * 100.0 / all as f64).min(100.0)),
        _ => None,
    };
    Some(Some(Scan {
        doing,
        progress,
        percent: share.filter(|_| progress == Progress::Running || progress == Progress::Paused),
        seconds_left: None,
        repaired: word(stats, "processed").filter(|_| doing == Doing::Scrub && progress == Progress::Finished),
        errors: word(stats, "errors").and_then(|w| count(&w)).filter(|_| progress == Progress::Finished),
    }))
}

/// A value as text, whatever its type.
fn word(value: &Value, key: &str) -> Option<String> {
    Some(match value.get(key)? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    })
}
