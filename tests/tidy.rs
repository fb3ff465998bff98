//! The house keeps its shape: sizes, purity, panics, dependencies, the registry.
//!
//! Works on the text of the project, so it sees what no compiler pass is asked for. It reads the same
//! way as a person would count: a function from its `fn` line to the brace under it.
#![allow(clippy::unwrap_used)] // helpers of tests

use raidmond_adapters::registry::ADAPTERS;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 700;
const LONGEST_FUNCTION: usize = 80;

/// Crates the pure ones may use, and nothing else.
const PURE: [&str; 8] =
    ["raidmond-core", "serde", "serde_json", "regex", "aho-corasick", "jiff", "thiserror", "proptest"];

/// What reaches out of a pure function.
const OUTSIDE: [&str; 18] = [
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "ZonedDateTime::now",
    "std::process",
    "std::fs",
    "fs::read",
    "fs::write",
    "File::open",
    "std::env::",
    "env::var",
    "std::net",
    "std::thread",
    "tokio::",
    "rusqlite::",
    "println!(",
    "async fn",
];

const PANICS: [&str; 6] = [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unreachable!("];

/// Text files that belong to the project.
const TEXTS: [&str; 11] = ["rs", "toml", "md", "sql", "txt", "tsv", "expected", "service", "html", "sh", "yml"];

struct Source {
    path: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if name == "target" || name == ".git" {
            continue;
        }
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

fn files(wanted: impl Fn(&Path) -> bool) -> Vec<Source> {
    let mut paths = Vec::new();
    walk(root(), &mut paths);
    paths.retain(|p| wanted(p));
    paths.sort();
    let name = |p: &Path| p.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
    let read = |p: &PathBuf| Some(Source { path: name(p), text: fs::read_to_string(p).ok()? });
    let found: Vec<Source> = paths.iter().filter_map(read).collect();
    assert!(!found.is_empty(), "nothing to read under {}", root().display());
    found
}

fn rust() -> Vec<Source> {
    files(|p| p.extension().is_some_and(|e| e == "rs"))
}

/// Sources that end in the program: no tests, benches, fuzz targets, and no module that only tests load.
fn shipped() -> Vec<Source> {
    let mut all = rust();
    let only_for_tests: BTreeSet<String> = all.iter().flat_map(test_modules).collect();
    let aside = ["tests/", "benches/", "fuzz/"];
    all.retain(|s| {
        let module = s.path.trim_end_matches(".rs").trim_end_matches("/mod");
        let inside = only_for_tests.iter().any(|t| module == t || module.starts_with(&format!("{t}/")));
        !inside && !aside.iter().any(|a| s.path.starts_with(a) || s.path.contains(&format!("/{a}")))
    });
    all
}

/// `#[cfg(test)] mod name;`, as paths without `.rs`.
fn test_modules(source: &Source) -> Vec<String> {
    let path = source.path.trim_end_matches(".rs");
    let parent = ["/mod", "/lib", "/main"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let gated = lines.windows(2).filter(|w| w[0] == "#[cfg(test)]");
    let name = |line: &str| Some(line.split_once("mod ")?.1.strip_suffix(';')?.to_owned());
    gated.filter_map(|w| name(w[1])).map(|n| format!("{parent}/{n}")).collect()
}

/// Lines of a shipped file with their numbers, without comments and without the tests at its end.
fn code(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = source.text.lines().collect();
    let tests = lines.windows(2).position(|w| w[0].trim() == "#[cfg(test)]" && w[1].trim_end().ends_with('{'));
    let end = tests.unwrap_or(lines.len());
    lines.into_iter().take(end).enumerate().map(|(n, l)| (n + 1, l)).filter(|(_, l)| !l.trim_start().starts_with("//"))
}

fn hits(sources: &[Source], words: &[&str]) -> Vec<String> {
    let bad = |s: &Source| -> Vec<String> {
        let hit = |l: &&str| words.iter().any(|w| holds(l, w));
        code(s).filter(|(_, l)| hit(l)).map(|(n, l)| format!("{}:{n}: {}", s.path, l.trim())).collect()
    };
    sources.iter().flat_map(bad).collect()
}

/// The word stands there and is not the end of a longer name.
fn holds(line: &str, word: &str) -> bool {
    let longer = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| !longer(&line[..at]) || word.starts_with('.'))
}

fn none(bad: &[String], what: &str) {
    assert!(bad.is_empty(), "{what}:\n{}", bad.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let long = |s: &Source| s.text.lines().count() > LONGEST_FILE;
    let bad: Vec<String> =
        rust().iter().filter(|s| long(s)).map(|s| format!("{} {}", s.text.lines().count(), s.path)).collect();
    none(&bad, "files over 700 lines");
}

#[test]
fn no_function_is_too_long() {
    let long = |s: &Source| -> Vec<String> {
        let over = functions(&s.text).into_iter().filter(|(_, _, lines)| *lines > LONGEST_FUNCTION);
        over.map(|(name, line, lines)| format!("{lines} lines {}:{line} {name}", s.path)).collect()
    };
    let sources = shipped();
    let bad: Vec<String> = sources.iter().flat_map(long).collect();
    let counted: usize = sources.iter().map(|s| functions(&s.text).len()).sum();
    assert!(counted > 1000, "only {counted} functions were found: the counting is broken");
    none(&bad, "functions over 80 lines");
}

/// Name, first line and length of each function.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let closing = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        let ends = |l: &&str| *l == closing;
        let one_line = line.trim_end().ends_with(['}', ';']);
        let length = if one_line { 0 } else { lines[start..].iter().position(ends).unwrap_or(0) };
        found.push((name, start + 1, length));
    }
    found
}

fn function_name(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => after,
        };
    }
    let mut rest = rest.trim_start();
    for word in ["const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

#[test]
fn nothing_panics_on_the_way_of_real_input() {
    none(&hits(&shipped(), &PANICS), "panics outside tests");
}

#[test]
fn the_pure_crates_reach_for_nothing() {
    let mut sources = shipped();
    sources.retain(|s| ["crates/core/src/", "crates/adapters/src/"].iter().any(|c| s.path.starts_with(c)));
    none(&hits(&sources, &OUTSIDE), "clock, process, files, environment or network in a pure crate");
    for manifest in ["crates/core/Cargo.toml", "crates/adapters/Cargo.toml"] {
        let text = fs::read_to_string(root().join(manifest)).unwrap();
        let bad: Vec<String> =
            dependencies(&text).into_iter().map(|(name, _)| name).filter(|n| !PURE.contains(&n.as_str())).collect();
        none(&bad, manifest);
    }
}

#[test]
fn only_the_runner_starts_processes_and_only_the_store_speaks_sql() {
    let mut sources = shipped();
    sources.retain(|s| s.path.starts_with("src/"));
    let mut starters = Vec::new();
    let mut speakers = Vec::new();
    for source in &sources {
        let says = |words: &[&str]| code(source).any(|(_, l)| words.iter().any(|w| l.contains(w)));
        if says(&["Command::new("]) {
            starters.push(source.path.as_str());
        }
        if says(&["rusqlite"]) {
            speakers.push(source.path.as_str());
        }
    }
    assert_eq!(starters, ["src/notify/child.rs", "src/run/command.rs"], "places that start processes");
    assert!(speakers.iter().all(|p| p.starts_with("src/store/")), "SQL outside the store: {speakers:?}");
}

#[test]
fn only_the_clock_reads_the_time() {
    let mut sources = shipped();
    sources.retain(|s| s.path.starts_with("src/") && s.path != "src/clock.rs");
    none(&hits(&sources, &["Timestamp::now", "SystemTime::now", "ZonedDateTime::now"]), "the time is read elsewhere");
}

#[test]
fn every_dependency_says_why() {
    let mut bad = Vec::new();
    for manifest in files(|p| p.ends_with("Cargo.toml")) {
        for (name, line) in dependencies(&manifest.text) {
            let ours = name.starts_with("raidmond-");
            let reason_elsewhere = line.contains("workspace = true");
            if !ours && !reason_elsewhere && !line.contains(" # ") {
                bad.push(format!("{}: {name}", manifest.path));
            }
        }
    }
    none(&bad, "dependencies without a reason");
}

/// Names and lines of all tables of dependencies.
fn dependencies(manifest: &str) -> Vec<(String, String)> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').ends_with("dependencies");
        } else if let (true, Some((name, _))) = (inside && !line.starts_with('#'), line.split_once('=')) {
            let name = name.trim().trim_end_matches(".workspace").to_owned();
            found.push((name, line.to_owned()));
        }
    }
    found
}

#[test]
fn every_family_is_registered_in_order() {
    let folders = fs::read_dir(root().join("crates/adapters/src")).unwrap().flatten().map(|e| e.path());
    let family = |p: &PathBuf| p.join("mod.rs").exists() && p.join("vocabulary.rs").exists();
    let built: BTreeSet<String> =
        folders.filter(family).map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let registered: Vec<String> = ADAPTERS.iter().map(|a| a.family().to_owned()).collect();
    let sorted: Vec<String> = built.iter().cloned().collect();
    assert_eq!(registered, sorted, "ADAPTERS holds every family once, sorted by name");
}

#[test]
fn tables_of_exceptions_have_their_columns() {
    let table = fs::read_to_string(root().join("tests/corpus_disagreements.tsv")).unwrap();
    let whole = |l: &&str| l.split('\t').filter(|c| !c.trim().is_empty()).count() == 3;
    let bad: Vec<String> = table.lines().filter(|l| !whole(l)).map(str::to_owned).collect();
    none(&bad, "rows without set, verdict and reason");
    let later = fs::read_to_string(root().join("tests/cases_later.txt")).unwrap();
    let registered = |family: &str| ADAPTERS.iter().any(|a| a.family() == family);
    let bad: Vec<String> =
        later.lines().filter(|l| l.split_whitespace().nth(1).is_none_or(registered)).map(str::to_owned).collect();
    none(&bad, "cases put off though their family is there");
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    // Put together here, so that this file does not hold them.
    let names = [["/wo", "rk/"], ["/tmp", "/wt"], ["far", "m-"]].map(|parts| parts.concat());
    let plain = |p: &Path| p.extension().is_none_or(|e| TEXTS.iter().any(|t| e == *t));
    let mut bad = Vec::new();
    for source in files(plain) {
        for (n, line) in source.text.lines().enumerate() {
            if names.iter().any(|name| line.contains(name.as_str())) {
                bad.push(format!("{}:{}: {}", source.path, n + 1, line.trim()));
            }
        }
    }
    none(&bad, "names that mean nothing elsewhere");
}
