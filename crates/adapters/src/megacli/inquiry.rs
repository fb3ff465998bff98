//! `Inquiry Data`: vendor, model, firmware and serial number of a disk in one string of columns.
//!
//! Two layouts (ANSI SCSI INQUIRY and ATA IDENTIFY, seen in captures):
//! SCSI: vendor 8, model 16, revision 4, serial up to 20. ATA: serial 20, model 40, firmware 8.
//! What does not fit either is left alone: a wrong serial number would make a wrong identity.

#[derive(Debug, Default, PartialEq)]
pub struct Inquiry {
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub firmware: Option<String>,
    pub serial: Option<String>,
}

/// `firmware`: `Device Firmware Level`, where printed; it must stand where the layout puts it.
pub fn read(raw: &str, firmware: Option<&str>) -> Inquiry {
    let chars: Vec<char> = raw.trim_end().chars().collect();
    let (vendor, model, revision, serial) = match chars.len() {
        61..=70 => (None, part(&chars, 20, 60), part(&chars, 60, 70), part(&chars, 0, 20)),
        29..=52 => (part(&chars, 0, 8), part(&chars, 8, 24), part(&chars, 24, 28), part(&chars, 28, 52)),
        _ => return Inquiry::default(),
    };
    let fits = |stated: &str| revision.as_deref().is_some_and(|r| r.ends_with(stated) || stated.starts_with(r));
    if !firmware.is_none_or(fits) {
        return Inquiry::default();
    }
    Inquiry { vendor: vendor.filter(|v| v != "ATA"), model, firmware: revision, serial }
}

fn part(chars: &[char], start: usize, end: usize) -> Option<String> {
    let text: String = chars.get(start..end.min(chars.len()))?.iter().collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
