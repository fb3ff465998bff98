//! What storcli has to say, apart from how it is shown: as JSON with `J`, else as text.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

/// Ordered, as storcli prints it.
pub type Props = Vec<(String, Value)>;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Number(u64),
    /// A number in JSON, `0x5D` in text.
    Hex(u32),
    Props(Props),
    Table(Vec<Props>),
}

pub fn props<K: Into<String>>(entries: impl IntoIterator<Item = (K, Value)>) -> Props {
    entries.into_iter().map(|(k, v)| (k.into(), v)).collect()
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value::Number(u64::from(number))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value::Number(number as u64)
    }
}

/// Fields storcli shows as Yes or No.
impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Value::from(if yes { "Yes" } else { "No" })
    }
}

impl Value {
    pub fn shown(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Hex(number) => format!("0x{number:X}"),
            Value::Props(_) | Value::Table(_) => String::new(),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) => s.serialize_str(text),
            Value::Number(number) => s.serialize_u64(*number),
            Value::Hex(number) => s.serialize_u32(*number),
            Value::Props(entries) => map(entries, s),
            Value::Table(rows) => {
                let mut list = s.serialize_seq(Some(rows.len()))?;
                rows.iter().try_for_each(|row| list.serialize_element(&Value::Props(row.clone())))?;
                list.end()
            }
        }
    }
}

fn map<S: Serializer>(entries: &Props, s: S) -> Result<S::Ok, S::Error> {
    let mut map = s.serialize_map(Some(entries.len()))?;
    entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
    map.end()
}

/// The answer about one controller (or about the host, without a number).
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub controller: Option<u32>,
    /// 0: success; else the error code, also the exit status.
    pub code: i32,
    pub description: String,
    pub detail: Vec<Props>,
    pub data: Option<Value>,
}

impl Response {
    pub fn ok(controller: Option<u32>, description: &str, data: Value) -> Self {
        Self { controller, code: 0, description: description.into(), detail: Vec::new(), data: Some(data) }
    }

    pub fn failure(controller: Option<u32>, code: i32, description: &str) -> Self {
        Self { controller, code, description: description.into(), detail: Vec::new(), data: None }
    }

    /// A failure with its row under "Detailed Status".
    pub fn refused(controller: u32, code: i32, description: &str, object: Props, message: &str) -> Self {
        let mut row = object;
        row.push(("ErrCd".into(), Value::Number(code as u64)));
        row.push(("ErrMsg".into(), message.into()));
        let detail = vec![row];
        Self { controller: Some(controller), code, description: description.into(), detail, data: None }
    }
}
