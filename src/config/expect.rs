//! `[[expect]]`: settings that should stay as they are.

use super::sheet::{Section, Sheet};
use super::values;
use raidmond_core::diagnose::Expectation;
use raidmond_core::model::WriteCache;
use std::time::Duration;
use toml::Spanned;

pub fn read(sections: Vec<Section>) -> Vec<Expectation> {
    let mut names: Vec<Spanned<String>> = Vec::new();
    sections.into_iter().filter_map(|section| one(section, &mut names)).collect()
}

fn one(section: Section, names: &mut Vec<Spanned<String>>) -> Option<Expectation> {
    let of = section.parsed("of", "a device or array: \"md0\", \"c0/v0\", \"sd*\"", name);
    let of = section.required("of", of, "of = \"md0\"");
    let time = Duration::from_secs(1)..=Duration::from_secs(86_400);
    let read_ahead = section.whole("read-ahead-kib", 0..=1 << 30).map(Spanned::into_inner);
    let expected = Expectation {
        of: String::new(),
        read_ahead_kib: read_ahead.and_then(|n| u64::try_from(n).ok()),
        scheduler: section.parsed("scheduler", "a scheduler: \"mq-deadline\"", name).map(Spanned::into_inner),
        timeout_seconds: section.duration("timeout", time).map(|d| d.as_secs()),
        write_cache: section.parsed("write-cache", "\"write-back\"", write_cache).map(Spanned::into_inner),
        controller_read_ahead: section.flag("controller-read-ahead"),
        disk_cache: section.flag("disk-cache"),
    };
    const KEYS: [&str; 6] =
        ["read-ahead-kib", "scheduler", "timeout", "write-cache", "controller-read-ahead", "disk-cache"];
    if !KEYS.iter().any(|key| section.has(key)) {
        section.sheet.error("nothing is expected here", section.at.clone(), format!("add one of {}", KEYS.join(", ")));
    }
    let of = of.inspect(|of| once(section.sheet, names, of));
    section.finish();
    Some(Expectation { of: of?.into_inner(), ..expected })
}

fn once(sheet: &Sheet, names: &mut Vec<Spanned<String>>, of: &Spanned<String>) {
    match names.iter().find(|n| n.get_ref() == of.get_ref()) {
        Some(first) => {
            let what = format!("`{}` is there twice", of.get_ref());
            sheet.twice(what, of.span(), "write all that is expected of it together", first.span());
        }
        None => names.push(of.clone()),
    }
}

/// As raidmond and the kernel name things.
fn name(text: &str) -> Result<String, values::Wrong> {
    let plain = text.trim_start_matches("/dev/");
    match !plain.is_empty() && !plain.contains(char::is_whitespace) {
        true => Ok(plain.to_owned()),
        false => values::wrong(format!("`{text}` is no name"), "one word: \"md0\", \"c0/v0\", \"sd*\""),
    }
}

fn write_cache(text: &str) -> Result<WriteCache, values::Wrong> {
    let all = [WriteCache::WriteBack, WriteCache::WriteThrough];
    values::one_of(text, "write cache", &["write-back", "write-through"]).map(|i| all[i.min(1)])
}
