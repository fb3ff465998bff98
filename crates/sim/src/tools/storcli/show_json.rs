//! `J`: the answer as JSON.

use super::doc::{Props, Response, Value, props};

pub fn json(responses: &[Response], version: &str, system: &str) -> String {
    let controllers = responses.iter().map(|r| one(r, version, system)).collect();
    let whole = Value::Props(props([("Controllers", Value::Table(controllers))]));
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn one(response: &Response, version: &str, system: &str) -> Props {
    let mut status = props([("CLI Version", Value::from(version)), ("Operating system", system.into())]);
    match response.controller {
        Some(number) => status.push(("Controller".into(), number.into())),
        None => status.push(("Status Code".into(), Value::Number(response.code as u64))),
    }
    let word = if response.code == 0 { "Success" } else { "Failure" };
    status.push(("Status".into(), word.into()));
    status.push(("Description".into(), response.description.as_str().into()));
    if !response.detail.is_empty() {
        status.push(("Detailed Status".into(), Value::Table(response.detail.clone())));
    }
    let mut entries = props([("Command Status", Value::Props(status))]);
    entries.extend(response.data.clone().map(|data| ("Response Data".to_owned(), data)));
    entries
}
