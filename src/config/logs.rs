//! `[[log]]` and its `[[log.rule]]`.

use super::problem::Problem;
use super::sheet::Section;
use super::values::{self, Wrong, one_of, written};
use raidmond_core::observe::{LogKind, RuleError, Scanner, UserRule};
use std::path::PathBuf;
use std::time::Duration;
use toml::Spanned;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    pub path: PathBuf,
    pub kind: LogKind,
    pub rules: Vec<UserRule>,
}

const KINDS: [(&str, LogKind); 5] = [
    ("kernel", LogKind::Kernel),
    ("syslog", LogKind::Syslog),
    ("megaserv", LogKind::Megaserv),
    ("smartd", LogKind::Smartd),
    ("custom", LogKind::Custom),
];

pub fn read(sections: Vec<Section>) -> Vec<LogConfig> {
    let mut seen: Vec<Spanned<PathBuf>> = Vec::new();
    let mut logs = Vec::new();
    for section in sections {
        let path = section.parsed("path", "a path: \"/var/log/…\"", values::path);
        let path = section.required("path", path, "path = \"/var/log/…\"");
        let stated = section.parsed("kind", "a kind: \"syslog\"", kind);
        let rules = rules(section.sections("rule", "[[log.rule]]"));
        if let Some(path) = path {
            match seen.iter().find(|p| p.get_ref() == path.get_ref()) {
                Some(first) => section.sheet.twice("this log is there twice", path.span(), "", first.span()),
                None => seen.push(path.clone()),
            }
            let path = path.into_inner();
            let kind = stated.map_or_else(|| LogKind::of_name(&path.to_string_lossy()), Spanned::into_inner);
            logs.push(LogConfig { path, kind, rules });
        }
        section.finish();
    }
    logs
}

fn kind(text: &str) -> Result<LogKind, Wrong> {
    let index = one_of(text, "kind of log", &KINDS.map(|(word, _)| word))?;
    Ok(KINDS.get(index).map_or(LogKind::Custom, |(_, kind)| *kind))
}

fn rules(sections: Vec<Section>) -> Vec<UserRule> {
    let mut names: Vec<Spanned<String>> = Vec::new();
    sections.into_iter().filter_map(|section| rule(section, &mut names)).collect()
}

fn rule(section: Section, names: &mut Vec<Spanned<String>>) -> Option<UserRule> {
    let name = section.required("name", section.text("name"), "name = \"…\"");
    let pattern = section.required("regex", section.text("regex"), "regex = '…'");
    let sign = section.required("sign", section.text("sign"), "sign = \"io-error\"");
    let rate = rate(&section);
    if let Some(name) = &name {
        match names.iter().find(|n| n.get_ref() == name.get_ref()) {
            Some(first) => section.sheet.twice("this rule is there twice", name.span(), "", first.span()),
            None => names.push(name.clone()),
        }
    }
    pattern.iter().for_each(|p| groups(&section, p));
    // Both are looked at, whatever is wrong with the other.
    let at = name.as_ref().map_or(section.at.clone(), Spanned::span);
    let (pattern, sign) = (check(&section, pattern, None, &at), check(&section, None, sign, &at));
    section.finish();
    Some(UserRule { name: name?.into_inner(), pattern: pattern?, sign: sign?, rate })
}

/// The names by which a pattern says which object a line is about; the later ones keep objects apart.
const GROUPS: [&str; 15] = [
    "dev",
    "md",
    "ctrl",
    "hctl",
    "pci",
    "unit",
    "port",
    "enclosure",
    "slot",
    "vd",
    "channel",
    "id",
    "container",
    "vdev",
    "host",
];

fn groups(section: &Section, pattern: &Spanned<String>) {
    for name in named_groups(pattern.get_ref()) {
        if let Err(wrong) = one_of(name, "named group", &GROUPS) {
            let hint = format!("it names no object; {}", wrong.hint);
            section.sheet.note(Problem::warning(wrong.what, pattern.span(), hint));
        }
    }
}

/// `x` of `(?P<x>` and `(?<x>`.
fn named_groups(pattern: &str) -> impl Iterator<Item = &str> {
    let opened = pattern.split("(?").skip(1).filter_map(|rest| rest.strip_prefix("P<").or(rest.strip_prefix('<')));
    opened.filter(|rest| !rest.starts_with(['=', '!'])).filter_map(|rest| rest.split_once('>')).map(|(name, _)| name)
}

/// "3 within 600s", from `times` and `within`.
fn rate(section: &Section) -> Option<String> {
    let times = section.whole("times", 1..=10_000);
    let within = section.duration("within", Duration::from_secs(1)..=Duration::from_secs(30 * 86_400));
    match (section.has("times"), section.has("within")) {
        (true, false) => section.required("within", None::<()>, "within = \"10m\""),
        (false, true) => section.required("times", None::<()>, "times = 3"),
        _ => None,
    };
    Some(format!("{} within {}", times?.into_inner(), written(within?)))
}

/// Asks the one who will use the rule: with one half of it known to be good.
fn check(
    section: &Section,
    pattern: Option<Spanned<String>>,
    sign: Option<Spanned<String>>,
    at: &std::ops::Range<usize>,
) -> Option<String> {
    let asked = pattern.as_ref().or(sign.as_ref())?.clone();
    let rule = UserRule {
        name: "rule".to_owned(),
        pattern: pattern.map_or("x".to_owned(), Spanned::into_inner),
        sign: sign.map_or("benign".to_owned(), Spanned::into_inner),
        rate: None,
    };
    match Scanner::new(LogKind::Smartd, &[rule]) {
        Ok(_) => return Some(asked.into_inner()),
        Err(RuleError::Pattern { why, .. }) => {
            section.sheet.error("this is no regular expression", asked.span(), last_line(&why));
        }
        Err(RuleError::MatchesAll { .. }) => {
            section.sheet.error("this pattern matches every line", asked.span(), "even an empty one");
        }
        Err(RuleError::Sign { word, known, .. }) => {
            let words: Vec<&str> = known.split(", ").collect();
            let wrong = one_of(&word, "sign", &words).err();
            let hint = wrong.as_ref().map_or(String::new(), |w| w.hint.clone());
            let hint = if hint.is_empty() { format!("one of: {known}") } else { hint };
            section.sheet.error(format!("unknown sign `{word}`"), asked.span(), hint);
        }
        Err(other) => section.sheet.error(other.to_string(), at.clone(), ""),
    }
    None
}

/// The regex crate draws its own caret first; the reason comes last.
fn last_line(why: &str) -> String {
    let line = why.lines().last().unwrap_or(why);
    line.trim().trim_start_matches("error: ").to_owned()
}
