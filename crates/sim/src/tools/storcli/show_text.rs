//! Without `J`: headed sections, fixed-width tables and their legends.

use super::doc::{Props, Response, Value};

const PD_LEGEND: &str = "\
EID=Enclosure Device ID|Slt=Slot No|DID=Device ID|DG=DriveGroup
DHS=Dedicated Hot Spare|UGood=Unconfigured Good|GHS=Global Hotspare
UBad=Unconfigured Bad|Sntze=Sanitize|Onln=Online|Offln=Offline|Intf=Interface
Med=Media Type|SED=Self Encryptive Drive|PI=PI Eligible
SeSz=Sector Size|Sp=Spun|U=Up|D=Down|T=Transition|F=Foreign
UGUnsp=UGood Unsupported|UGShld=UGood shielded|HSPShld=Hotspare shielded
CFShld=Configured shielded|Cpybck=CopyBack|CBShld=Copyback Shielded
UBUnsp=UBad Unsupported|Rbld=Rebuild
";
const VD_LEGEND: &str = "\
VD=Virtual Drive| DG=Drive Group|Rec=Recovery
Cac=CacheCade|OfLn=OffLine|Pdgd=Partially Degraded|Dgrd=Degraded
Optl=Optimal|dflt=Default|RO=Read Only|RW=Read Write|HD=Hidden|TRANS=TransportReady
B=Blocked|Consist=Consistent|R=Read Ahead Always|NR=No Read Ahead|WB=WriteBack
AWB=Always WriteBack|WT=WriteThrough|C=Cached IO|D=Direct IO|sCC=Scheduled
Check Consistency
";
const TOPOLOGY_LEGEND: &str = "\
DG=Disk Group Index|Arr=Array Index|Row=Row Index|EID=Enclosure Device ID
DID=Device ID|Type=Drive Type|Onln=Online|Rbld=Rebuild|Optl=Optimal|Dgrd=Degraded
Pdgd=Partially degraded|Offln=Offline|BT=Background Task Active
PDC=PD Cache|PI=Protection Info|SED=Self Encrypting Drive|Frgn=Foreign
DS3=Dimmer Switch 3|dflt=Default|Msng=Missing|FSpace=Free Space Present
TR=Transport Ready
";
const ENCLOSURE_LEGEND: &str = "\
EID=Enclosure Device ID | PD=Physical drive count | PS=Power Supply count
TSs=Temperature sensor count | Alms=Alarm count | SIM=SIM Count | ProdID=Product ID
";

pub fn text(responses: &[Response], version: &str, system: &str) -> String {
    responses.iter().map(|r| one(r, version, system)).collect()
}

fn one(response: &Response, version: &str, system: &str) -> String {
    let mut out = format!("CLI Version = {version}\nOperating system = {system}\n");
    if let Some(number) = response.controller {
        out.push_str(&format!("Controller = {number}\n"));
    } else {
        out.push_str(&format!("Status Code = {}\n", response.code));
    }
    let word = if response.code == 0 { "Success" } else { "Failure" };
    out.push_str(&format!("Status = {word}\nDescription = {}\n\n", response.description));
    if !response.detail.is_empty() {
        heading(&mut out, "Detailed Status");
        out.push('\n');
        table(&mut out, "Detailed Status", &response.detail);
        out.push('\n');
    }
    match &response.data {
        Some(Value::Props(entries)) => section(&mut out, entries),
        Some(Value::Table(rows)) => {
            table(&mut out, "", rows);
            out.push('\n');
        }
        _ => {}
    }
    out
}

fn section(out: &mut String, entries: &Props) {
    for (key, value) in entries {
        match value {
            Value::Table(rows) => {
                heading(out, key);
                out.push('\n');
                table(out, key, rows);
                out.push_str(legend(rows));
                out.push_str("\n\n");
            }
            Value::Props(inner) => {
                heading(out, key);
                section(out, inner);
                out.push('\n');
            }
            plain => out.push_str(&format!("{key} = {}\n", plain.shown())),
        }
    }
    out.push('\n');
}

fn heading(out: &mut String, title: &str) {
    out.push_str(&format!("{title} :\n{}\n", "=".repeat(title.len())));
}

fn table(out: &mut String, title: &str, rows: &[Props]) {
    let Some(first) = rows.first() else { return };
    let names: Vec<&str> = first.iter().map(|(k, _)| k.as_str()).collect();
    let widths: Vec<usize> = names.iter().enumerate().map(|(i, n)| width(n, rows, i)).collect();
    let total = widths.iter().sum::<usize>() + widths.len();
    let rule = "-".repeat(total);
    let header = names.iter().zip(&widths).enumerate().map(|(i, (n, w))| pad(n, *w, right(title, n, rows, i)));
    out.push_str(&format!("{rule}\n{}\n{rule}\n", header.collect::<String>()));
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let line: String = cells.map(|(i, ((n, v), w))| pad(&v.shown(), *w, right(title, n, rows, i))).collect();
        out.push_str(&format!("{line}\n"));
    }
    out.push_str(&format!("{rule}\n\n"));
}

fn pad(text: &str, width: usize, right: bool) -> String {
    if right { format!("{text:>width$} ") } else { format!("{text:<width$} ") }
}

fn width(name: &str, rows: &[Props], column: usize) -> usize {
    let cells = rows.iter().filter_map(|r| r.get(column)).map(|(_, v)| v.shown().chars().count());
    cells.max().unwrap_or(0).max(name.len())
}

/// Numbers and sizes stand to the right, except in the topology.
fn right(title: &str, name: &str, rows: &[Props], column: usize) -> bool {
    let number = |row: &Props| matches!(row.get(column), Some((_, Value::Number(_))));
    match name {
        "Size" | "DG" => true,
        "Value" => false,
        _ if title == "TOPOLOGY" => false,
        _ => rows.iter().any(number),
    }
}

fn legend(rows: &[Props]) -> &'static str {
    let has = |key: &str| rows.first().is_some_and(|r| r.iter().any(|(k, _)| k == key));
    match () {
        () if has("EID:Slt") => PD_LEGEND,
        () if has("DG/VD") => VD_LEGEND,
        () if has("EID:Slot") => TOPOLOGY_LEGEND,
        () if has("EID") => ENCLOSURE_LEGEND,
        () => "",
    }
}
