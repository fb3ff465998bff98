//! The configuration as a person meets it: each mistake with its place, and the file that is shipped.

#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by panicking.

use proptest::prelude::*;
use raidmond::config::Config;
use std::path::{Path, PathBuf};

const SHIPPED: &str = include_str!("../config/raidmond.toml");

fn shown(text: &str) -> String {
    let path = Path::new("/etc/raidmond/raidmond.toml");
    let (errors, warnings) = match Config::parse(text, path) {
        Ok((_, warnings)) => (None, warnings),
        Err(errors) => (Some(errors.to_string()), errors.warnings),
    };
    let parts = errors.into_iter().chain(warnings.iter().map(ToString::to_string));
    format!("{}\n", parts.collect::<Vec<_>>().join("\n\n"))
}

fn bad_files() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config_bad");
    let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

/// `RAIDMOND_BLESS=1` writes what is shown now.
#[test]
fn every_mistake_is_shown_with_its_place() {
    let files = bad_files();
    assert!(files.len() >= 15, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let shown = shown(&std::fs::read_to_string(&file).unwrap());
        let expected = file.with_extension("expected");
        if std::env::var_os("RAIDMOND_BLESS").is_some() {
            std::fs::write(&expected, &shown).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != shown {
            wrong.push(format!("{}:\n{shown}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_mistake_looks_as_the_guide_says() {
    let text = "\n\n\n\n\n\n[checks]\nschedul = \"Sat 01:00 every 4 weeks\"\n";
    let first = shown(text).split("\n\n").next().unwrap().to_owned();
    let expected = "\
error: unknown key `schedul`
  --> /etc/raidmond/raidmond.toml:8:1
8 | schedul = \"Sat 01:00 every 4 weeks\"
  | ^^^^^^^ did you mean `schedule`?";
    assert_eq!(first, expected);
}

fn uncommented(wanted: impl Fn(&str) -> bool) -> String {
    let mut section = String::new();
    let mut lines = Vec::new();
    for line in SHIPPED.lines() {
        let option = line.strip_prefix('#').filter(|l| !l.is_empty() && !l.starts_with(' '));
        let line = option.unwrap_or(line);
        if line.starts_with('[') {
            section = line.to_owned();
        }
        lines.push(if option.is_some() && !wanted(&section) { "" } else { line });
    }
    lines.join("\n")
}

#[test]
fn the_file_as_shipped_is_the_empty_configuration() {
    let (config, warnings) = Config::parse(SHIPPED, Path::new("raidmond.toml")).unwrap();
    assert_eq!((config, warnings), (Config::default(), vec![]));
}

#[test]
fn every_option_in_the_shipped_file_is_right() {
    // Which zones there are depends on the machine.
    let text = uncommented(|_| true).replace("Europe/Berlin", "UTC");
    let (config, warnings) = Config::parse(&text, Path::new("raidmond.toml")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(warnings, vec![]);
    assert!(!config.checks.runs() && config.checks.blocks.len() == 1);
    assert_eq!((config.webhooks.len(), config.execs.len(), config.logs.len()), (1, 1, 1));
    assert!(config.mail.is_some() && config.dead_man.is_some() && config.logs[0].rules.len() == 1);
}

#[test]
fn defaults_in_the_shipped_file_are_the_defaults() {
    for section in ["", "[digest]", "[limits]", "[tools]"] {
        let text = uncommented(|s| s == section).replace("host-name =", "#").replace("time-zone =", "#");
        let text = text.replace("search-path =", "#").replace("disabled =", "#");
        assert!(text.lines().any(|l| !l.is_empty() && !l.starts_with('#')), "{section} has no options");
        let (config, _) = Config::parse(&text, Path::new("raidmond.toml")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(config, Config::default(), "{section}");
    }
}

/// Parses and shows; what comes out does not matter, that it comes out does.
fn survives(text: &str) {
    let shown = shown(text);
    assert!(!shown.contains('\u{1b}'), "an escape reached the terminal: {shown:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_only_mistakes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_toml_is_only_mistakes(parts in prop::collection::vec("[\\[\\]{}\"'=.,#a-z0-9\\n\\r\\t äß€\u{1b}\\\\-]{1,6}|mail|log|rule|webhook", 0..60)) {
        survives(&parts.concat());
    }

    #[test]
    fn mutations_of_a_good_file_are_only_mistakes(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, any::<char>()), 1..8),
    ) {
        let mut letters: Vec<char> = uncommented(|_| true).chars().collect();
        for (place, cut, letter) in edits {
            let at = place.index(letters.len().max(1)).min(letters.len());
            let end = (at + cut).min(letters.len());
            letters.splice(at..end, [letter]);
        }
        survives(&letters.into_iter().collect::<String>());
    }
}
