//! `state changed from DEGRADED to OPTIMAL`: a text about a change tells of the new state only.
//!
//! Loggers spell it `from A to B`, `A -> B`, `Previous = A Current = B`, `B (was A)`. Words of trouble
//! are looked for in what is left when the old state is taken out. Does not judge any state.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A state in one to three words, a number in brackets, quotes: `PARTIALLY DEGRADED(1)`, `"Hot Spare"`.
macro_rules! state {
    () => {
        r#"["'\[(<]?(?:(?:partial(?:ly)?|hot|un-?configured|not|global|dedicated|rebuild|copy)[\s_-]+)?[a-z][\w-]*["'\])>]?(?:\s*\([^)]{0,12}\))?"#
    };
}

/// What begins a new state is named `new`.
const CHANGES: &[&str] = &[
    concat!(
        r"\b(?:chang\w*|transition\w*|mov(?:ed|es|ing)|went|goes|switch\w*|state|status|condition)\b[^.;]*?(?P<old>\bfrom[\s:=]+",
        state!(),
        r"\s*,?\s*)\b(?:in)?to\b[\s:=]+(?P<new>\S.*)"
    ),
    concat!(
        r"(?P<old>(?:previous|\b(?:prev|old|prior|former))\b(?:[\s_-]*(?:state|status))?\s*(?:[:=]|was|is)*\s*",
        state!(),
        r"\s*[,;/]?\s*)\b(?:curr?(?:ent)?|new|now|present)\b(?:[\s_-]*(?:state|status))?\s*(?:[:=]|is)*\s*(?P<new>\S.*)"
    ),
    concat!(r"(?P<old>", state!(), r"\s*[-=~]+>\s*)(?P<new>\S.*)"),
    concat!(
        r"\b(?:curr?(?:ent)?|new|now)\b(?:[\s_-]*(?:state|status))?\s*(?:[:=]|is)*\s*(?P<new>",
        state!(),
        r")(?P<old>\s*[,;/(]*\s*\b(?:was|prev(?:ious(?:ly)?)?|old|formerly)\b(?:[\s_-]*(?:state|status))?\s*[:=]*\s*",
        state!(),
        r"\)?)"
    ),
    concat!(
        r"(?P<new>",
        state!(),
        r")(?P<old>\s*[(\[]\s*(?:was|prev(?:ious(?:ly)?)?|formerly)\b(?:[\s_-]*(?:state|status))?[\s:=]*",
        state!(),
        r"\s*[)\]])"
    ),
    concat!(r"(?P<old>\b(?:was|from)\s+", state!(), r"\s*[,;]?\s*)\b(?:is\s+)?now\b[\s:=]+(?P<new>\S.*)"),
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let insensitive = |p: &&str| regex::RegexBuilder::new(p).case_insensitive(true).build().ok();
    CHANGES.iter().filter_map(insensitive).collect()
});

/// The text without the states that are over.
pub(super) fn as_of_now(text: &str) -> Cow<'_, str> {
    match first(text).and_then(|found| found.name("old")) {
        Some(old) => Cow::Owned(format!("{} {}", &text[..old.start()], &text[old.end()..])),
        None => Cow::Borrowed(text),
    }
}

/// What the object is now, where the text tells of a change.
pub(super) fn new_state(text: &str) -> Option<&str> {
    Some(first(text)?.name("new")?.as_str())
}

fn first(text: &str) -> Option<Captures<'_>> {
    PATTERNS.iter().find_map(|pattern| pattern.captures(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.len(), CHANGES.len());
    }

    #[test]
    fn the_new_state_is_found_in_many_spellings() {
        for (text, new) in [
            ("Logical drive 0 state changed from DEGRADED to OPTIMAL", "OPTIMAL"),
            ("State change on PD 04(e0x20/s4) from ONLINE(18) to FAILED(11)", "FAILED(11)"),
            ("state change on VD 00/0 from PARTIALLY DEGRADED(1) to OPTIMAL(3)", "OPTIMAL(3)"),
            ("LD 1 went from 'Optimal' to 'Degraded'", "'Degraded'"),
            ("state: FAILED -> ONLINE", "ONLINE"),
            ("State change: PD = 1:3 Previous = Failed Current = Online", "Online"),
            ("State change:   PD  =  -:-:3Previous  =  Rebuild      Current  =  Online", "Online"),
            ("old state: degraded, new state: optimal", "optimal"),
            ("drive is now online (was failed)", "online"),
            ("drive online (previously failed)", "online"),
            ("drive was failed, now online", "online"),
        ] {
            assert_eq!(new_state(text), Some(new), "{text}");
            let left = as_of_now(text).to_lowercase();
            let gone = ["degraded", "failed", "offline"].iter().filter(|w| !new.to_lowercase().contains(**w));
            assert!(gone.into_iter().all(|w| !left.contains(w)), "{text}: {left}");
        }
    }

    #[test]
    fn other_text_is_left_as_it_is() {
        for text in [
            "no answer from drive 3, failed to reset",
            "read from failed drive: switching to mirror",
            "rebuild of drive 3 failed",
            "was removed",
            "Previous boot: drive failed",
            "",
        ] {
            assert_eq!(as_of_now(text), text);
        }
    }
}
