//! MegaCli64 8.07.14: the older view of the same cards.

mod adapter;
mod arrays;
mod disks;
mod work;

use super::Answer;
use crate::kernel::Voice;
use crate::world::{Controller, Family, World};

pub fn answer(args: &[&str], world: &mut World, voice: &mut Voice) -> Answer {
    let args: Vec<String> = args.iter().map(|a| word(a)).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).filter(|w| *w != "nolog" && *w != "silent").collect();
    let call = Call { which: adapters(&words), words };
    if call.words.first() == Some(&"adpcount") {
        return adapter::count(world);
    }
    if world.of(Family::Megaraid).next().is_none() {
        return end("", 0);
    }
    let now = world.now;
    let mine = |c: &&mut Controller| c.present && c.family == Family::Megaraid && call.takes(c.number);
    let mut out = String::new();
    let mut exit = 0;
    for c in world.controllers.iter_mut().filter(mine) {
        match section(&call, c, now, voice) {
            Some(Ok(text)) => out.push_str(&text),
            Some(Err(text)) => {
                out.push_str(&text);
                exit = 1;
            }
            None => return invalid(),
        }
    }
    if out.is_empty() {
        return end("\nUser specified controller is not present.\nFailed to get CpController object.\n", 1);
    }
    end(&out, exit)
}

/// Case and leading dashes do not matter, except in file names.
fn word(arg: &str) -> String {
    if arg.contains('/') { arg.to_owned() } else { arg.trim_start_matches('-').to_ascii_lowercase() }
}

fn end(text: &str, exit: i32) -> Answer {
    Answer { stdout: format!("                                     \n{text}\nExit Code: 0x{exit:02x}\n"), exit }
}

fn invalid() -> Answer {
    end("Invalid input at or near token \n", 1)
}

struct Call<'a> {
    words: Vec<&'a str>,
    /// `None`: all.
    which: Option<Vec<u32>>,
}

impl Call<'_> {
    fn takes(&self, number: u32) -> bool {
        self.which.as_ref().is_none_or(|w| w.contains(&number))
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// `-L0`, `-Lall`, `-L0,1`: the arrays meant.
    fn takes_array(&self, number: u32) -> bool {
        let list = self.words.iter().find_map(|w| w.strip_prefix('l').filter(|r| *r == "all" || starts_digit(r)));
        list.is_none_or(|l| l == "all" || l.split(',').any(|n| n.parse() == Ok(number)))
    }

    /// `-PhysDrv[32:5,32:6]` or `-PhysDrv [32:5]`.
    fn drives(&self) -> Vec<(String, u32)> {
        let joined = self.words.concat();
        let Some(list) = joined.split_once('[').and_then(|(_, rest)| rest.split_once(']')) else { return Vec::new() };
        let pair = |text: &str| {
            let (enclosure, slot) = text.split_once(':')?;
            Some((enclosure.to_owned(), slot.parse().ok()?))
        };
        list.0.split(',').filter_map(pair).collect()
    }
}

fn starts_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// `-aALL`, `-a0`, `-a0,1`.
fn adapters(words: &[&str]) -> Option<Vec<u32>> {
    let list = words.iter().rev().find_map(|w| w.strip_prefix('a').filter(|r| *r == "all" || starts_digit(r)))?;
    if list == "all" { None } else { Some(list.split(',').filter_map(|n| n.parse().ok()).collect()) }
}

/// One adapter's part; `Err` is a refusal; `None`: MegaCli does not know the command.
fn section(call: &Call, c: &mut Controller, now: u64, voice: &mut Voice) -> Option<Result<String, String>> {
    Some(match *call.words.first()? {
        "adpallinfo" => Ok(adapter::all_info(c, now)),
        "adpgetpciinfo" => Ok(adapter::pci_info(c)),
        "adpbbucmd" => adapter::battery(c, &call.words, now),
        "adpgettime" => Ok(adapter::time(c, now)),
        "adpeventlog" => work::event_log(c, &call.words)?,
        "encinfo" => Ok(adapter::enclosures(c)),
        "ldinfo" => Ok(arrays::list(c, call)),
        "ldpdinfo" => Ok(arrays::with_disks(c)),
        "ldcc" => work::check(c, call, voice)?,
        "pdlist" => Ok(disks::list(c)),
        "pdinfo" => disks::some(c, &call.drives()),
        "pdrbld" => work::rebuild(c, &call.drives()),
        "pdlocate" => work::locate(c, call),
        "cfgforeign" => Ok(adapter::foreign(c)),
        "adpccsched" => Ok(adapter::check_schedule(c)),
        "adppr" => Ok(adapter::patrol(c, now)),
        _ => return None,
    })
}
