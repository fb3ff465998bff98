//! `[checks]` and its `[[checks.for]]`: when, where, and by whom arrays are checked.

use super::problem::Problem;
use super::sheet::Section;
use super::values::{Wrong, one_of};
use jiff::SignedDuration;
use raidmond_core::checks::{Block, Checks, Rules, Selector, Who};
use raidmond_core::schedule::Schedule;
use std::time::Duration;
use toml::Spanned;

const MINUTE: Duration = Duration::from_secs(60);
const WEEK: Duration = Duration::from_secs(7 * 86_400);

pub fn read(section: Section) -> Checks {
    let usual = Checks::default();
    let said = block(&section);
    let blocks = section.sections("for", "[[checks.for]]").into_iter().filter_map(one_for).collect::<Vec<_>>();
    let at_once = section.whole("at-once", 1..=64).and_then(|n| usize::try_from(n.into_inner()).ok());
    let none_runs = said.run != Some(true) && blocks.iter().all(|b| b.run != Some(true));
    let raidmonds = said.who.unwrap_or(usual.rules.who) == Who::Raidmond;
    if none_runs && said.run.is_none() && raidmonds {
        let what = "raidmond starts no check before `run = true` stands here";
        section.sheet.note(Problem::warning(what, section.at.clone(), "write run = true, or run = false to be quiet"));
    }
    section.finish();
    let rules = Rules {
        run: said.run.unwrap_or(usual.rules.run),
        schedule: said.schedule.unwrap_or(usual.rules.schedule),
        spread: said.spread.unwrap_or(usual.rules.spread),
        window: said.window,
        who: said.who.unwrap_or(usual.rules.who),
    };
    Checks { rules, blocks, at_once: at_once.unwrap_or(usual.at_once), ..usual }
}

fn one_for(section: Section) -> Option<Block> {
    let text = |key| section.text(key).map(Spanned::into_inner);
    let selector = Selector {
        host: text("host"),
        family: section.parsed("family", "a family: \"storcli\"", family).map(Spanned::into_inner),
        controller: text("controller"),
        array: text("array"),
    };
    let block = Block { selector, ..block(&section) };
    let everything = block.selector == Selector::default() && !section.has("family");
    if everything {
        let hint = "say which: host, family, controller or array; what is for all stands in [checks]";
        section.sheet.missing("this block does not say what it is for", section.at.clone(), hint);
    }
    section.finish();
    (!everything).then_some(block)
}

fn block(section: &Section) -> Block {
    let time = |key, low, high| section.duration(key, low..=high).and_then(|d| SignedDuration::try_from(d).ok());
    Block {
        selector: Selector::default(),
        run: section.flag("run"),
        schedule: section.parsed("schedule", "a time: \"Sat 01:00\"", schedule).map(Spanned::into_inner),
        spread: time("spread", Duration::ZERO, WEEK),
        window: time("window", 30 * MINUTE, WEEK),
        who: section.parsed("policy", "\"raidmond\", \"external\" or \"off\"", who).map(Spanned::into_inner),
    }
}

fn schedule(text: &str) -> Result<Schedule, Wrong> {
    Schedule::parse(text).map_err(|e| Wrong { what: e.what, hint: e.hint })
}

fn who(text: &str) -> Result<Who, Wrong> {
    let index = one_of(text, "policy", &["raidmond", "external", "off"])?;
    Ok([Who::Raidmond, Who::External, Who::Off].get(index).copied().unwrap_or(Who::Raidmond))
}

fn family(text: &str) -> Result<String, Wrong> {
    let words: Vec<&str> = raidmond_adapters::registry::ADAPTERS.iter().map(|a| a.family()).collect();
    one_of(text, "family", &words).map(|_| text.to_ascii_lowercase())
}
