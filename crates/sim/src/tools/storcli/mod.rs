//! storcli64 and perccli64 (formats as of storcli 007.x).

mod adapter;
mod cache;
mod change;
mod details;
mod doc;
pub mod events;
mod rows;
mod show_json;
mod show_text;

use super::Answer;
use crate::kernel::Voice;
use crate::world::{Controller, Family, World};
use doc::{Props, Response, Value, props};

const VERSION: &str = "007.2612.0000.0000 June 13, 2023";
const PERC_VERSION: &str = "007.2110.0000.0000 Sep 27, 2022";

pub fn answer(name: &str, args: &[&str], world: &mut World, voice: &mut Voice) -> Answer {
    let version = if name == "perccli64" { PERC_VERSION } else { VERSION };
    let json = args.iter().any(|a| a.eq_ignore_ascii_case("J"));
    let words: Vec<&str> =
        args.iter().copied().filter(|a| !a.eq_ignore_ascii_case("J") && !a.eq_ignore_ascii_case("nolog")).collect();
    let system = format!("Linux {}", world.kernel);
    if let Some(text) = events::answer(&words, world, version, &system) {
        return text;
    }
    match responses(&words, world, voice) {
        Some(responses) => {
            let exit = responses.iter().map(|r| r.code).find(|c| *c != 0).unwrap_or(0);
            let shown = if json { show_json::json } else { show_text::text };
            Answer { stdout: shown(&responses, version, &system), exit }
        }
        None => syntax_error(words.first().copied().unwrap_or(""), version),
    }
}

/// Plain text even with `J`.
fn syntax_error(word: &str, version: &str) -> Answer {
    let text = format!(
        "syntax error, unexpected {word}\n\n     Storage Command Line Tool  Ver {version}\n\n\
              (c)Copyright 2023, Broadcom Inc. All Rights Reserved.\n\n\nhelp - lists all the commands with their usage.\n"
    );
    Answer { stdout: text, exit: 255 }
}

/// `None`: not storcli's grammar.
fn responses(words: &[&str], world: &mut World, voice: &mut Voice) -> Option<Vec<Response>> {
    match words {
        ["show"] | ["show", "all"] => Some(vec![adapter::overview(world)]),
        ["show", "ctrlcount"] => Some(vec![adapter::count(world)]),
        [path, rest @ ..] if path.starts_with("/c") => Some(on_path(&Path::parse(path)?, rest, world, voice)),
        _ => None,
    }
}

/// `/c0/e32/s5`: each part a letter (or word) and a choice.
struct Path {
    controller: Choice,
    object: Object,
}

#[derive(Clone, Copy)]
enum Choice {
    All,
    One(u32),
}

impl Choice {
    fn takes(self, number: u32) -> bool {
        match self {
            Choice::All => true,
            Choice::One(one) => one == number,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("all") { Some(Choice::All) } else { text.parse().ok().map(Choice::One) }
    }
}

enum Object {
    Adapter,
    Arrays(Choice),
    Enclosures(Choice),
    /// `None`: drives without an enclosure.
    Drives(Option<Choice>, Choice),
    Bbu,
    CacheVault,
    Foreign,
}

impl Path {
    fn parse(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.strip_prefix("/c")?.split('/').collect();
        let (controller, rest) = parts.split_first()?;
        let part = |text: &str, letter: char| Choice::parse(text.strip_prefix(letter)?);
        let object = match rest {
            [] => Object::Adapter,
            ["bbu"] => Object::Bbu,
            ["cv"] => Object::CacheVault,
            [e, s] => Object::Drives(Some(part(e, 'e')?), part(s, 's')?),
            [one] if one.starts_with('v') => Object::Arrays(part(one, 'v')?),
            [one] if one.starts_with('e') => Object::Enclosures(part(one, 'e')?),
            [one] if one.starts_with('s') => Object::Drives(None, part(one, 's')?),
            [one] if one.starts_with('f') => part(one, 'f').map(|_| Object::Foreign)?,
            _ => return None,
        };
        Some(Self { controller: Choice::parse(controller)?, object })
    }
}

fn on_path(path: &Path, words: &[&str], world: &mut World, voice: &mut Voice) -> Vec<Response> {
    let numbers: Vec<u32> =
        world.of(Family::Megaraid).map(|c| c.number).filter(|n| path.controller.takes(*n)).collect();
    if let (true, Choice::One(number)) = (numbers.is_empty(), path.controller) {
        return vec![Response::failure(Some(number), 12, &format!("Controller {number} not found"))];
    }
    if numbers.is_empty() {
        return vec![Response::failure(None, 59, "No Controller found")];
    }
    let now = world.now;
    let mine = |c: &&mut Controller| c.present && c.family == Family::Megaraid && path.controller.takes(c.number);
    world.controllers.iter_mut().filter(mine).map(|c| on_object(&path.object, words, c, now, voice)).collect()
}

fn on_object(object: &Object, words: &[&str], c: &mut Controller, now: u64, voice: &mut Voice) -> Response {
    let unsupported = || Response::failure(Some(c.number), 255, "Un-supported command");
    match (object, words) {
        (Object::Adapter, ["show"]) => adapter::brief(c, now),
        (Object::Adapter, ["show", "all"]) => adapter::full(c, now),
        (Object::Adapter, ["show", "patrolread" | "pr"]) => adapter::patrol(c, now),
        (Object::Adapter, ["show", "cc" | "consistencycheck"]) => adapter::check_schedule(c),
        (Object::Arrays(_), _) if c.arrays.is_empty() => {
            Response::ok(Some(c.number), "No VDs have been configured.", Value::Props(Props::new()))
        }
        (Object::Arrays(which), ["show"]) => details::arrays_brief(c, *which),
        (Object::Arrays(which), ["show", "all"]) => details::arrays(c, *which),
        (Object::Arrays(which), ["show", "cc"]) => details::checks(c, *which),
        (Object::Arrays(which), ["show", "init" | "bgi" | "migrate" | "erase" | "autobgi"]) => {
            details::idle_arrays(c, *which, &words[1].to_uppercase())
        }
        (Object::Arrays(which), ["start" | "stop" | "pause" | "resume", "cc"]) => {
            change::check(c, *which, words[0], voice)
        }
        (Object::Enclosures(which), ["show"]) => details::enclosures_brief(c, *which),
        (Object::Enclosures(which), ["show", "all" | "status"]) => details::enclosures(c, *which),
        (Object::Drives(e, s), ["show"]) => details::drives_brief(c, *e, *s),
        (Object::Drives(e, s), ["show", "all"]) => details::drives(c, *e, *s),
        (Object::Drives(e, s), ["show", "rebuild"]) => details::rebuilds(c, *e, *s),
        (Object::Drives(e, s), ["show", "copyback" | "initialization"]) => details::idle_drives(c, *e, *s, words[1]),
        (Object::Drives(e, s), ["start" | "stop", "locate"]) => change::locate(c, *e, *s, words[0] == "start"),
        (Object::Bbu, ["show"] | ["show", "all" | "status"]) => cache::battery(c, false, now),
        (Object::CacheVault, ["show"] | ["show", "all" | "status"]) => cache::battery(c, true, now),
        (Object::Foreign, ["show"] | ["show", "all"]) => details::foreign(c),
        _ => unsupported(),
    }
}

fn controller_row(c: &Controller) -> Props {
    props([("Ctrl", Value::from(c.number)), ("Status", "Failed".into()), ("Property", "-".into())])
}
