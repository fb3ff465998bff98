//! The sentences of tw_cli 1.x and 2.0 for the 7000 and 8000 series, which knew no tables:
//! `Unit 0: RAID 5 465.77 GB (976785408 blocks): OK`, `Port 3: DRIVE NOT PRESENT`,
//! `Controller 0: 7500-8 (8)`. Turned into the rows that later versions print.
//! Layout as in public captures of that time; not in the corpus.

use super::parse::{Pair, Row, Table};

pub enum Found {
    Row(Row),
    Pair(Pair),
    Table(Table),
}

pub fn line(line: &str, controller: Option<&str>) -> Option<Found> {
    if line.starts_with("# of ports") {
        return Some(Found::Table(Table::Ports));
    }
    let (head, rest) = line.split_once(':')?;
    let rest = rest.trim();
    match head.trim().split_once(' ') {
        Some(("Unit", number)) => unit(number, rest),
        Some(("Port", number)) => port(number, rest),
        Some(("Controller", number)) => controller_row(number, rest),
        _ => pair(head.trim(), rest, controller?),
    }
}

/// `RAID 5 465.77 GB (976785408 blocks): REBUILDING (57%)`
fn unit(number: &str, rest: &str) -> Option<Found> {
    let (left, state) = rest.rsplit_once(':')?;
    let level = left.split(|c: char| c.is_whitespace()).take(2).collect::<Vec<_>>().join("-");
    let kind = if level.starts_with("RAID") { level } else { left.split_whitespace().next()?.to_owned() };
    let (status, percent) = match state.split_once('(') {
        Some((status, percent)) => (status.trim(), percent.trim_end_matches(')').trim()),
        None => (state.trim(), "-"),
    };
    let id = format!("u{}", digits(number)?);
    let cells = [("Unit", id.as_str()), ("UnitType", &kind), ("Status", status), ("%Cmpl", percent)];
    Some(Found::Row(Row::new(Table::Units, &cells)))
}

/// `MODEL SERIAL 232.88 GB (488397168 blocks): OK(unit 0)`
fn port(number: &str, rest: &str) -> Option<Found> {
    let id = format!("p{}", digits(number)?);
    if rest.eq_ignore_ascii_case("DRIVE NOT PRESENT") {
        let cells = [("Port", id.as_str()), ("Status", "NOT-PRESENT"), ("Unit", "-")];
        return Some(Found::Row(Row::new(Table::Ports, &cells)));
    }
    let (left, state) = rest.rsplit_once(':')?;
    let (status, unit) = match state.split_once('(') {
        Some((status, unit)) => (status.trim(), member_of(unit)),
        None => (state.trim(), None),
    };
    let name: Vec<&str> = left.split_whitespace().take_while(|w| w.parse::<f64>().is_err()).collect();
    let (serial, model) = name.split_last().map(|(last, model)| (*last, model.join(" "))).unwrap_or_default();
    let unit = unit.unwrap_or_else(|| "-".to_owned());
    let cells = [("Port", id.as_str()), ("Status", status), ("Unit", &unit), ("Serial", serial), ("Model", &model)];
    Some(Found::Row(Row::new(Table::Ports, &cells)))
}

fn member_of(text: &str) -> Option<String> {
    let number = text.trim_end_matches(')').trim().strip_prefix("unit ")?;
    Some(format!("u{}", digits(number)?))
}

/// `7500-8 (8)`
fn controller_row(number: &str, rest: &str) -> Option<Found> {
    let id = format!("c{}", digits(number)?);
    let model = rest.split_whitespace().next()?;
    Some(Found::Row(Row::new(Table::Controllers, &[("Ctl", &id), ("Model", model)])))
}

fn pair(key: &str, value: &str, controller: &str) -> Option<Found> {
    let key = match key {
        "Model" => "model",
        "FW" => "firmware version",
        "Driver" => "driver version",
        "Serial #" => "serial number",
        "BIOS" | "Monitor" | "PCB" | "PCHIP" | "ACHIP" | "Controller" => "",
        _ => return None,
    };
    Some(Found::Pair(Pair { path: format!("/c{controller}"), key: key.to_owned(), value: value.to_owned() }))
}

fn digits(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())).then_some(text)
}
