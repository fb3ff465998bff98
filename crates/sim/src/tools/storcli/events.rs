//! `show events`: always text, with or without `J`.

use super::super::Answer;
use super::Choice;
use crate::clock;
use crate::world::{Controller, Event, Family, World};
use std::fmt::Write;

/// `None`: not this command.
pub fn answer(words: &[&str], world: &World, version: &str, system: &str) -> Option<Answer> {
    let [path, "show", "events", options @ ..] = words else { return None };
    let choice = Choice::parse(path.strip_prefix("/c")?)?;
    let controllers: Vec<&Controller> = world.of(Family::Megaraid).filter(|c| choice.takes(c.number)).collect();
    if controllers.is_empty() {
        return None;
    }
    let text: String = controllers.iter().map(|c| one(c, options, version, system)).collect();
    Some(Answer::ok(text))
}

fn one(c: &Controller, options: &[&str], version: &str, system: &str) -> String {
    let header = format!(
        "CLI Version = {version}\nOperating system = {system}\nController = {}\nStatus = Success\nDescription = None\n\n\
         Events = GETEVENTS\n\n",
        c.number
    );
    let listing = listing(&c.events, options);
    let file = options.iter().find_map(|o| o.strip_prefix("file="));
    let shown = match file {
        Some(path) if std::fs::write(path, &listing).is_ok() => String::new(),
        _ => listing,
    };
    let rule = "-".repeat(36);
    let properties = "Controller Properties :\n=====================\n\n";
    format!(
        "{header}{shown}{properties}{rule}\nCtrl Status  Method          Value  \n{rule}\n{:>4} Success handleSuboption Events \n{rule}\n\n",
        c.number
    )
}

fn listing(events: &[Event], options: &[&str]) -> String {
    let latest = options.iter().find_map(|o| o.strip_prefix("type=latest=")?.parse::<usize>().ok());
    let skip = latest.map_or(0, |n| events.len().saturating_sub(n));
    events.iter().skip(skip).map(event_text).collect()
}

/// One entry as storcli and MegaCli print it.
pub fn event_text(event: &Event) -> String {
    let mut text = format!(
        "\nseqNum: 0x{:08x}\nTime: {}\n\nCode: 0x{:08x}\nClass: {}\nLocale: 0x{:02x}\nEvent Description: {}\nEvent Data:\n===========\n",
        event.sequence,
        clock::ctime(event.time),
        event.code,
        event.class,
        event.locale,
        event.text
    );
    if event.data.is_empty() {
        text.push_str("None\n");
    }
    for (key, value) in &event.data {
        let _ = writeln!(text, "{key}: {value}");
    }
    text + "\n"
}
