//! Pages of sg_ses into elements. No judgement.

/// How many element types stood before, and the number in the type; `None`: sums up its type.
pub type Place = (usize, Option<usize>);

#[derive(Debug, Default, PartialEq)]
pub struct Page {
    pub begun: bool,
    /// "CRIT", "NON-CRIT": flags of the whole that are set.
    pub flags: Vec<String>,
    pub elements: Vec<Element>,
    /// It ends before its end, in the tool's words.
    pub cut: Option<String>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Element {
    pub at: Place,
    /// "Power supply"
    pub kind: String,
    pub name: Option<String>,
    pub status: Option<String>,
    /// Flags that are set.
    pub flags: Vec<String>,
    /// °C, rpm, mV.
    pub value: Option<i64>,
}

pub fn page(text: &str) -> Page {
    let mut page = Page::default();
    let (mut kind, mut types) = (String::new(), 0);
    for line in text.lines().map(str::trim) {
        let lower = line.to_ascii_lowercase();
        page.begun |= lower.contains("diagnostic page:") || lower.starts_with("enclosure status:");
        if lower.contains("too short") || lower.contains("truncated") || lower.contains("state of enclosure changed") {
            page.cut = Some(line.trim_matches(['<', '>']).to_owned());
        } else if let Some((before, after)) = line.split_once("Element type:") {
            kind = after.split(',').next().unwrap_or("").trim().to_owned();
            match joined(before) {
                Some((at, name)) => page.elements.push(Element { at, name, kind: kind.clone(), ..Element::default() }),
                None => types += 1,
            }
        } else if let Some((index, name)) = descriptor(line) {
            let name = Some(name.to_owned()).filter(|n| !n.is_empty());
            page.elements.push(Element { at: (types, index), name, kind: kind.clone(), ..Element::default() });
        } else if line.starts_with("INVOP=") {
            page.flags = pairs(line).filter(|(_, v)| *v == "1").map(|(k, _)| k.to_owned()).collect();
        } else if let Some(element) = page.elements.last_mut() {
            facts(element, line);
        }
    }
    page
}

/// `Element 3 descriptor: Fan 3`, `Overall descriptor:`
fn descriptor(line: &str) -> Option<(Option<usize>, &str)> {
    let (head, name) = line.split_once("descriptor:")?;
    let index = match head.trim() {
        "Overall" => None,
        head => Some(head.strip_prefix("Element")?.trim().parse().ok()?),
    };
    Some((index, name.trim()))
}

/// `Fan 3 [2,3]  ` of `--join`; -1 sums up.
fn joined(before: &str) -> Option<(Place, Option<String>)> {
    let (name, rest) = before.rsplit_once('[')?;
    let (kind, element) = rest.split_once(']')?.0.split_once(',')?;
    let name = Some(name.trim().to_owned()).filter(|n| !n.is_empty());
    Some(((kind.trim().parse().ok()?, element.trim().parse().ok()), name))
}

fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split(',').filter_map(|p| p.split_once(['=', ':'])).map(|(key, value)| (key.trim(), value.trim()))
}

fn facts(element: &mut Element, line: &str) {
    for (key, value) in pairs(line) {
        match key {
            "status" if element.status.is_none() => element.status = Some(value.to_owned()),
            "Temperature" | "Actual speed" => element.value = element.value.or_else(|| crate::scan::number(value)),
            "Voltage" => element.value = element.value.or_else(|| millivolts(value)),
            _ if value == "1" => element.flags.push(key.to_owned()),
            _ => {}
        }
    }
}

fn millivolts(text: &str) -> Option<i64> {
    let volts: f64 = text.split(' ').next()?.parse().ok()?;
    (volts.abs() < 1e6).then_some((volts * 1000.0).round() as i64)
}
