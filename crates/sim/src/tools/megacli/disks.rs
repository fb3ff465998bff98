//! `-PDList` and `-PDInfo`.

use crate::tools::size;
use crate::world::{Controller, Disk, DiskState, Interface, Spare};

pub fn list(c: &Controller) -> String {
    let disks: Vec<String> = c.disks.iter().map(|d| disk(c, d)).collect();
    format!("\nAdapter #{}\n\n{}", c.number, disks.join("\n\n\n"))
}

pub fn some(c: &Controller, wanted: &[(String, u32)]) -> Result<String, String> {
    let mut out = String::new();
    for (enclosure, slot) in wanted {
        match find(c, enclosure, *slot) {
            Some(d) => out.push_str(&(disk(c, d) + "\n\n")),
            None => return Err(not_found(c, enclosure, *slot)),
        }
    }
    Ok(out)
}

pub fn find<'c>(c: &'c Controller, enclosure: &str, slot: u32) -> Option<&'c Disk> {
    c.disks.iter().find(|d| d.slot == slot && d.enclosure.map(|e| e.to_string()).unwrap_or_default() == enclosure)
}

pub fn not_found(c: &Controller, enclosure: &str, slot: u32) -> String {
    format!("\nAdapter: {}: Device at Enclosure - {enclosure}, Slot - {slot} is not found.\n", c.number)
}

pub fn disk(c: &Controller, d: &Disk) -> String {
    let position = c.array_of(d.device_id).and_then(|a| {
        let m = a.members.iter().find(|m| m.disk == Some(d.device_id))?;
        Some(format!("Drive's position: DiskGroup: {}, Span: {}, Arm: {}\n", a.group, m.span, m.row))
    });
    let fahrenheit = d.temperature as f64 * 9.0 / 5.0 + 32.0;
    let kind = if d.interface == Interface::Sas { "SAS" } else { "SATA" };
    let foreign = if d.foreign { "Foreign" } else { "None" };
    format!(
        "Enclosure Device ID: {enclosure}\nSlot Number: {slot}\n{position}{spare}Enclosure position: 1\nDevice Id: {id}\nWWN: {wwn:016X}\nSequence Number: 2\n\
         Media Error Count: {media}\nOther Error Count: {other}\nPredictive Failure Count: {predictive}\nLast Predictive Failure Event Seq Number: {sequence}\nPD Type: {kind}\n\n\
         Raw Size: {raw}\nNon Coerced Size: {non_coerced}\nCoerced Size: {coerced}\nSector Size:  512\nLogical Sector Size:  512\nPhysical Sector Size:  512\n\
         Firmware state: {state}\nDevice Firmware Level: {firmware}\nShield Counter: 0\nSuccessful diagnostics completion on :  N/A\n\
         SAS Address(0): 0x{sas:016x}\nSAS Address(1): 0x0\nConnected Port Number: 0(path0) \nInquiry Data: {inquiry}\n\
         FDE Capable: Not Capable\nFDE Enable: Disable\nSecured: Unsecured\nLocked: Unlocked\nNeeds EKM Attention: No\nForeign State: {foreign} \n\
         Device Speed: 6.0Gb/s \nLink Speed: 6.0Gb/s \nMedia Type: Hard Disk Device\nDrive Temperature :{celsius}C ({fahrenheit:.2} F)\n\
         PI Eligibility:  No \nDrive is formatted for PI information:  No\nPI: No PI\nDrive's NCQ setting : N/A\nPort-0 :\nPort status: Active\nPort's Linkspeed: 6.0Gb/s \n\
         Port-1 :\nPort status: Active\nPort's Linkspeed: 6.0Gb/s \nDrive has flagged a S.M.A.R.T alert : {smart}\n",
        enclosure = d.enclosure.map_or_else(|| "N/A".to_owned(), |e| e.to_string()),
        slot = d.slot,
        position = position.unwrap_or_default(),
        spare = spare(d),
        id = d.device_id,
        wwn = d.wwn,
        media = d.media_errors,
        other = d.other_errors,
        predictive = d.predictive_errors,
        sequence = d.predictive_sequence,
        raw = size::lsi_sectors(d.sectors),
        non_coerced = size::lsi_sectors(d.sectors - 0x10_0000),
        coerced = size::lsi_sectors(size::coerced(d.sectors)),
        state = state(d),
        firmware = d.firmware,
        sas = d.wwn + 1,
        inquiry = inquiry(d),
        celsius = d.temperature,
        smart = if d.smart_alert { "Yes" } else { "No" },
    )
}

fn spare(d: &Disk) -> String {
    match (d.state, d.spare) {
        (DiskState::HotSpare, Some(Spare::Dedicated(array))) => {
            format!("Hotspare Information:\nType: Dedicated, is revertible\nArray #: {array}\n")
        }
        (DiskState::HotSpare, _) => {
            "Hotspare Information:\nType: Global, with enclosure affinity, is revertible\n".to_owned()
        }
        _ => String::new(),
    }
}

pub fn state(d: &Disk) -> &'static str {
    match d.state {
        DiskState::Online => "Online, Spun Up",
        DiskState::Failed => "Failed",
        DiskState::Offline => "Offline",
        DiskState::Rebuilding => "Rebuild",
        DiskState::CopyingBack => "Copyback",
        DiskState::HotSpare => "Hotspare, Spun Up",
        DiskState::Good => "Unconfigured(good), Spun Up",
        DiskState::Bad => "Unconfigured(bad)",
        DiskState::Jbod => "JBOD",
    }
}

/// SAS: vendor, model, revision, serial; SATA: serial, model, revision.
fn inquiry(d: &Disk) -> String {
    match d.interface {
        Interface::Sas => format!("{:<8}{:<16}{:<4}{:<20}", d.vendor, d.model, d.firmware, d.serial),
        _ => format!("{:>20}{:<40}{:<8}", d.serial, d.model, d.firmware),
    }
}
