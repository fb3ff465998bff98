//! tw_cli of the 3ware 9000 series (release 9.5 and later: VPort tables, `%RCmpl %V/I/M`).

mod attributes;
mod tables;

use super::Answer;
use crate::checks::{self, Refusal};
use crate::kernel::Voice;
use crate::world::{Controller, Family, World};

pub fn answer(args: &[&str], world: &mut World, voice: &mut Voice) -> Answer {
    let words: Vec<&str> = args.iter().copied().filter(|w| *w != "quiet").collect();
    match words.as_slice() {
        ["show"] | ["info"] => show(world),
        ["show", "ver"] => Answer::ok("CLI Version = 2.00.11.022\nAPI Version = 2.08.00.024\n\n".into()),
        ["show", "alarms"] => Answer::ok(all_alarms(world)),
        ["info" | "show", target, rest @ ..] if target.starts_with('c') => old_form(target, rest, world, voice),
        [path, rest @ ..] if path.starts_with("/c") => on_path(path, rest, world, voice),
        _ => syntax(words.last().copied().unwrap_or("")),
    }
}

fn error(text: &str) -> Answer {
    Answer { stdout: format!("Error: (CLI:{text}\n\n"), exit: 1 }
}

fn syntax(word: &str) -> Answer {
    error(&format!("103) Invalid or missing command or attribute ({word})."))
}

fn show(world: &World) -> Answer {
    let cards: Vec<&Controller> = world.of(Family::ThreeWare).collect();
    if cards.is_empty() {
        return Answer {
            stdout: "No controller found.\nMake sure appropriate AMCC/3ware device driver(s) are loaded.\n\n".into(),
            exit: 1,
        };
    }
    Answer::ok(tables::controllers(&cards))
}

fn all_alarms(world: &World) -> String {
    let cards: Vec<&Controller> = world.of(Family::ThreeWare).collect();
    tables::alarms(&cards)
}

/// `info c0 unitstatus`, the form before paths.
fn old_form(target: &str, rest: &[&str], world: &mut World, voice: &mut Voice) -> Answer {
    let path = format!("/{target}");
    match rest {
        [] => on_path(&path, &["show"], world, voice),
        [unit, more @ ..] if unit.starts_with(['u', 'p']) && unit.len() <= 3 && more.is_empty() => {
            on_path(&format!("{path}/{unit}"), &["show"], world, voice)
        }
        [what, ..] => on_path(&path, &["show", what], world, voice),
    }
}

fn on_path(path: &str, words: &[&str], world: &mut World, voice: &mut Voice) -> Answer {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let number = parts.first().and_then(|p| p.strip_prefix('c')?.parse::<u32>().ok());
    let mine = |c: &&mut Controller| c.present && c.family == Family::ThreeWare && Some(c.number) == number;
    let Some(c) = world.controllers.iter_mut().find(mine) else {
        return error(&format!("001) Specified controller does not exist: {path}."));
    };
    match parts.get(1) {
        None => on_controller(c, words),
        Some(&"bbu") => bbu(c, words),
        Some(part) => on_part(c, part, words, voice),
    }
}

fn on_controller(c: &Controller, words: &[&str]) -> Answer {
    Answer::ok(match words {
        ["show"] => tables::units(c) + &tables::ports(c) + &tables::battery(c),
        ["show", "all"] => attributes::controller(c) + &tables::units(c) + &tables::ports(c) + &tables::battery(c),
        ["show", "unitstatus"] => tables::units(c),
        ["show", "drivestatus"] => tables::ports(c),
        ["show", "bbustatus"] => tables::battery(c),
        ["show", "alarms" | "events"] => tables::alarms(&[c]),
        ["show", "allunitstatus"] => attributes::unit_counts(c),
        ["show", attribute] => match attributes::one(&attributes::controller(c), attribute) {
            Some(line) => line,
            None => return syntax(attribute),
        },
        _ => return syntax(words.last().copied().unwrap_or("")),
    })
}

fn bbu(c: &Controller, words: &[&str]) -> Answer {
    match (words, &c.battery) {
        (["show"] | ["show", "status"], Some(_)) => Answer::ok(tables::battery(c)),
        (["show", "all"], Some(b)) => Answer::ok(attributes::battery(c, b)),
        _ => error(&format!("035) Invalid BBU or BBU not present: /c{}/bbu.", c.number)),
    }
}

fn on_part(c: &mut Controller, part: &str, words: &[&str], voice: &mut Voice) -> Answer {
    let number = part.get(1..).and_then(|n| n.parse::<u32>().ok());
    match (part.chars().next(), number) {
        (Some('u'), Some(n)) if tables::has_unit(c, n) => on_unit(c, n, words, voice),
        (Some('u'), _) => error(&format!("023) Specified unit does not exist: /c{}/{part}.", c.number)),
        (Some('p'), Some(n)) => match c.disks.iter_mut().find(|d| d.slot == n) {
            Some(disk) if words.len() == 2 && words[0] == "set" && words[1].starts_with("identify=") => {
                disk.locating = words[1] == "identify=on";
                Answer::ok(format!(
                    "Setting Port Identify on /c{}/p{n} to [{}] ... Done.\n\n",
                    c.number,
                    &words[1][9..]
                ))
            }
            _ => on_port(c, n, words),
        },
        (Some('e'), _) => error(&format!("029) Specified enclosure does not exist: /c{}/{part}.", c.number)),
        _ => syntax(part),
    }
}

fn on_unit(c: &mut Controller, n: u32, words: &[&str], voice: &mut Voice) -> Answer {
    let name = format!("/c{}/u{n}", c.number);
    match words {
        ["show"] => Answer::ok(tables::unit(c, n)),
        ["show", "all"] => Answer::ok(attributes::unit(c, n) + &tables::unit(c, n)),
        ["show", "status"] => Answer::ok(format!("{name} status = {}\n\n", tables::unit_status(c, n))),
        ["start", "verify"] => sent("start", &name, checks::start(c, n, voice)),
        ["stop", "verify"] => sent("stop", &name, checks::stop(c, n, voice)),
        _ => syntax(words.last().copied().unwrap_or("")),
    }
}

/// No capture of these refusals is public: the sentences are ours.
fn sent(verb: &str, name: &str, done: Result<(), Refusal>) -> Answer {
    match done {
        Ok(()) => Answer::ok(format!("Sending {verb} verify message to {name} ... Done.\n\n")),
        Err(Refusal::Running) => error(&format!("144) A verify is in progress on {name} already.")),
        Err(Refusal::NotRunning) => error(&format!("145) No verify is in progress on {name}.")),
        Err(_) => error(&format!("069) The unit is busy or not optimal: {name}.")),
    }
}

fn on_port(c: &Controller, n: u32, words: &[&str]) -> Answer {
    let disk = c.disks.iter().find(|d| d.slot == n);
    match (words, disk) {
        (["show"], _) => Answer::ok(tables::port_line(c, n)),
        (["show", "all"], Some(d)) => Answer::ok(attributes::port(c, d)),
        (["show", "all" | "smart" | "serial" | "model" | "status"], None) => {
            error(&format!("027) Port does not have a drive: /c{}/p{n}.", c.number))
        }
        (["show", attribute], Some(d)) => match attributes::one(&attributes::port(c, d), attribute) {
            Some(line) => Answer::ok(line),
            None => syntax(attribute),
        },
        _ => syntax(words.last().copied().unwrap_or("")),
    }
}
