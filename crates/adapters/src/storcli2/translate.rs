//! The tree of a storcli2 answer in the shape of storcli's: names of columns and properties, titles of
//! sections, the two words of a disk's state as one, times in the older order. No judgement here.

use crate::storcli::parse::{DETAILED_STATUS, Document, Reply, Row, Section};

pub fn translate(mut document: Document) -> Document {
    document.replies.iter_mut().for_each(reply);
    document
}

/// (theirs, ours)
const COLUMNS: &[(&str, &str)] = &[
    ("PID", "DID"),
    ("CurrentCache", "Cache"),
    ("Ctrl", "Ctl"),
    ("Product Name", "Model"),
    ("SASAddress", "SAS Address"),
    ("PD(s)", "PDs"),
    ("VD(s)", "VDs"),
    ("EPack", "BBU"),
    ("Temperature(C)", "Temp"),
    ("SubType", "Model"),
    ("Span", "Arr"),
];

const PROPERTIES: &[(&str, &str)] = &[
    ("Bad Block Exists", "Bad Blocks Exist"),
    ("Chip temperature(C)", "ROC temperature(Degree Celsius)"),
    ("Temperature(C)", "Drive Temperature"),
    ("Vendor", "Manufacturer Id"),
    ("Model", "Model Number"),
    ("Firmware Revision Level", "Firmware Revision"),
    ("Capable Speed", "Device Speed"),
    ("Drive Write Cache Policy", "Disk Cache Policy"),
];

/// Properties whose value begins with a year.
const TIMES: &[(&str, &str)] = &[("Controller Time(", "Controller Time"), ("System Time(", "System Time")];

fn reply(reply: &mut Reply) {
    let number = reply.controller.clone().unwrap_or_else(|| "0".to_owned());
    let mut walk = Walk { controller: number, ..Walk::default() };
    std::mem::take(&mut reply.sections).into_iter().for_each(|s| walk.section(s));
    reply.sections = walk.out;
}

/// Sections name neither their array nor their disk: the row before them does.
#[derive(Default)]
struct Walk {
    controller: String,
    array: Option<String>,
    /// `/c0/e306/s0`
    disk: Option<String>,
    out: Vec<Section>,
}

impl Walk {
    fn section(&mut self, mut section: Section) {
        lone_row(&mut section);
        if section.title.eq_ignore_ascii_case(DETAILED_STATUS) {
            section.rows.iter_mut().for_each(|row| self.refusal(row));
            return self.out.push(section);
        }
        section.properties.iter_mut().for_each(property);
        section.rows.iter_mut().for_each(columns);
        self.remember(&section);
        match section.title.to_ascii_lowercase().as_str() {
            "hostinterface" => section.title = "Bus".to_owned(),
            "pds" => self.title(&mut section, "PDs for VD "),
            "vd properties" => self.array_properties(&mut section),
            "energy pack info" => energy_pack(&mut section),
            "drive detailed information" => return self.disk_sections(section),
            "lu/ns properties" => return self.disk_counters(section),
            "path information" => return self.path(&section),
            _ => {}
        }
        self.out.push(section);
    }

    fn remember(&mut self, section: &Section) {
        for row in &section.rows {
            if let Some((_, array)) = row.get("DG/VD").and_then(|n| n.split_once('/')) {
                self.array = Some(array.trim().to_owned());
            }
            self.disk = row.get("EID:Slt").and_then(|place| self.object(place)).or(self.disk.take());
        }
    }

    /// `306:0` → `/c0/e306/s0`
    fn object(&self, place: &str) -> Option<String> {
        let (enclosure, slot) = place.trim().split_once(':')?;
        let enclosure = if enclosure.trim().is_empty() { String::new() } else { format!("/e{}", enclosure.trim()) };
        Some(format!("/c{}{enclosure}/s{}", self.controller, slot.trim()))
    }

    fn title(&self, section: &mut Section, before: &str) {
        if let Some(array) = &self.array {
            section.title = format!("{before}{array}");
        }
    }

    fn array_properties(&mut self, section: &mut Section) {
        let Some(array) = &self.array else { return };
        section.title = format!("VD{array} Properties");
        let consistent = section.property("Consistent").map(str::to_owned);
        let row = self.out.iter_mut().rev().find_map(|s| s.rows.iter_mut().rev().find(|r| r.get("DG/VD").is_some()));
        if let (Some(row), Some(word)) = (row, consistent) {
            row.0.push(("Consist".to_owned(), word));
        }
    }

    /// Counters, identity and settings stand together here.
    fn disk_sections(&mut self, section: Section) {
        let Some(disk) = self.disk.clone() else { return self.out.push(section) };
        let with = |end: &str, keep: fn(&str) -> bool| Section {
            title: format!("Drive {disk} {end}"),
            properties: section.properties.iter().filter(|(k, _)| keep(k)).map(serial).collect(),
            ..Section::default()
        };
        let shared: [Section; 3] = [
            with("State", |key| key != "Serial Number"),
            with("Device attributes", |_| true),
            with("Policies/Settings", |key| key == "Certified"),
        ];
        self.out.extend(shared);
    }

    fn disk_counters(&mut self, mut section: Section) {
        if let Some(disk) = &self.disk {
            section.title = format!("Drive {disk} State");
        }
        self.out.push(section);
    }

    fn path(&mut self, section: &Section) {
        let speed = section.rows.iter().find_map(|row| row.stated("Negotiated Speed"));
        if let (Some(disk), Some(speed)) = (&self.disk, speed) {
            let properties = vec![("Link Speed".to_owned(), speed.to_owned())];
            let title = format!("Drive {disk} Device attributes");
            self.out.push(Section { title, properties, ..Section::default() });
        }
    }

    /// A row of the refusal names a drive; it does not list one.
    fn refusal(&self, row: &mut Row) {
        for (column, value) in row.0.iter_mut().filter(|(c, _)| c.eq_ignore_ascii_case("EID:Slt")) {
            if let Some(object) = self.object(value) {
                (*column, *value) = ("Drive".to_owned(), object);
            }
        }
    }
}

/// `VD Info` and `Drive Information` of the JSON are tables of one row, printed as properties.
fn lone_row(section: &mut Section) {
    const KEYS: [&str; 2] = ["DG/VD", "EID:Slt"];
    if section.properties.iter().any(|(k, _)| KEYS.contains(&k.as_str())) {
        section.rows.push(Row(std::mem::take(&mut section.properties)));
    }
}

fn columns(row: &mut Row) {
    let overview = row.get("Ctrl").is_some();
    let disk = row.get("EID:Slt").is_some() || row.get("EID:Slot").is_some();
    for (column, _) in &mut row.0 {
        if let Some((_, ours)) = COLUMNS.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(column)) {
            *column = (*ours).to_owned();
        } else if overview && column.as_str() == "Status" {
            *column = "Hlth".to_owned();
        }
    }
    if disk {
        join_state(row);
    }
}

fn join_state(row: &mut Row) {
    let Some(status) = row.get("Status").map(str::to_owned) else { return };
    row.0.retain(|(column, _)| column != "Status");
    for (_, value) in row.0.iter_mut().filter(|(column, _)| column == "State") {
        *value = format!("{} {status}", value.trim());
    }
}

fn property((key, value): &mut (String, String)) {
    if let Some((_, ours)) = PROPERTIES.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(key)) {
        *key = (*ours).to_owned();
    }
    if let Some((_, ours)) = TIMES.iter().find(|(theirs, _)| key.starts_with(theirs)) {
        *key = (*ours).to_owned();
        if let Some((year, rest)) = value.split_once('/') {
            let (day, time) = rest.split_once(' ').unwrap_or((rest, ""));
            *value = format!("{day}/{year}, {time}");
        }
    }
}

fn serial((key, value): &(String, String)) -> (String, String) {
    let key = if key == "Serial Number" { "SN" } else { key };
    (key.to_owned(), value.clone())
}

fn energy_pack(section: &mut Section) {
    let of = |word: &str| section.rows.iter().any(|r| r.get("Type").is_some_and(|t| t.eq_ignore_ascii_case(word)));
    if of("Supercap") {
        section.title = "Cachevault_Info".to_owned();
    } else if of("Battery") {
        section.title = "BBU_Info".to_owned();
    }
}
