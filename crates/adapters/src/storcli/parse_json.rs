//! The JSON form (`J`). Banner lines before the first brace are passed over; several documents may
//! follow each other.

use super::parse::{DETAILED_STATUS, Reply, Row, Section};
use serde_json::{Map, Value};

/// `None`: not JSON at all. `Some(Err)`: begins as JSON and breaks off or is malformed.
pub fn parse(text: &str) -> Option<Result<Vec<Reply>, ()>> {
    let begin = text.find('{')?;
    let before = text.get(..begin).unwrap_or("");
    if before.lines().any(|line| line.contains(" = ")) {
        return None;
    }
    let body = text.get(begin..).unwrap_or("").replace('\t', " ");
    Some(read_all(&body))
}

fn read_all(body: &str) -> Result<Vec<Reply>, ()> {
    let mut replies = Vec::new();
    for document in serde_json::Deserializer::from_str(body).into_iter::<Value>() {
        let document = document.map_err(|_| ())?;
        let controllers = document.get("Controllers").and_then(Value::as_array).ok_or(())?;
        replies.extend(controllers.iter().map(reply));
    }
    Ok(replies)
}

fn reply(value: &Value) -> Reply {
    let mut reply = Reply::default();
    if let Some(command) = value.get("Command Status").and_then(Value::as_object) {
        reply.controller = scalar_of(command, "Controller");
        reply.version = scalar_of(command, "CLI Version");
        reply.status = scalar_of(command, "Status");
        reply.description = scalar_of(command, "Description");
        if let Some(details) = command.get(DETAILED_STATUS) {
            flatten(DETAILED_STATUS, details, &mut reply.sections);
        }
    }
    if let Some(data) = value.get("Response Data") {
        flatten("", data, &mut reply.sections);
    }
    if reply.controller.is_none() {
        let basics = reply.titled("Basics").find_map(|s| s.property("Controller")).map(str::to_owned);
        reply.controller = basics;
    }
    reply.sections = reply.sections.into_iter().map(Section::settle).collect();
    reply
}

/// Scalars become properties of the section, nested things sections of their own.
fn flatten(title: &str, value: &Value, into: &mut Vec<Section>) {
    match value {
        Value::Object(map) => flatten_object(title, map, into),
        Value::Array(items) => flatten_list(title, items, into),
        other => {
            let mut section = Section::new("");
            section.properties.extend(scalar(other).map(|v| (title.trim().to_owned(), v)));
            into.push(section);
        }
    }
}

fn flatten_object(title: &str, map: &Map<String, Value>, into: &mut Vec<Section>) {
    let mut section = Section::new(title);
    let mut nested = Vec::new();
    for (key, value) in map {
        match scalar(value) {
            Some(text) => section.properties.push((key.trim().to_owned(), text)),
            None => flatten(key, value, &mut nested),
        }
    }
    into.push(section);
    into.append(&mut nested);
}

fn flatten_list(title: &str, items: &[Value], into: &mut Vec<Section>) {
    let mut section = Section::new(title);
    let mut nested = Vec::new();
    for item in items {
        let Value::Object(map) = item else { continue };
        let mut row = Row::default();
        let mut of_item = Vec::new();
        for (key, value) in map {
            match scalar(value) {
                Some(text) => row.0.push((key.trim().to_owned(), text)),
                None => flatten(key, value, &mut of_item),
            }
        }
        section.rows.push(row);
        // What names the object first: a map keeps no order, and storcli2 nests details beside the name.
        of_item.sort_by_key(|s: &Section| s.property("DG/VD").or_else(|| s.property("EID:Slt")).is_none());
        nested.append(&mut of_item);
    }
    into.push(section);
    into.append(&mut nested);
}

fn scalar_of(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(scalar)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}
