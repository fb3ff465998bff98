//! Answers about whole controllers.

use super::doc::{Props, Response, Value, props};
use super::rows;
use crate::clock;
use crate::world::{ArrayState, Battery, BatteryState, Controller, Enclosure, Family, World};

const FOUR_WEEKS: u64 = 28 * 86_400;

pub fn count(world: &World) -> Response {
    let n = world.of(Family::Megaraid).count();
    Response::ok(None, "None", Value::Props(props([("Controller Count", Value::from(n))])))
}

pub fn overview(world: &World) -> Response {
    let rows: Vec<Props> = world.of(Family::Megaraid).map(overview_row).collect();
    let mut data = props([
        ("Number of Controllers", Value::from(rows.len())),
        ("Host Name", world.host.as_str().into()),
        ("Operating System ", format!("Linux {}", world.kernel).into()),
    ]);
    if !rows.is_empty() {
        data.push(("System Overview".into(), Value::Table(rows)));
    }
    Response::ok(None, "None", Value::Props(data))
}

fn overview_row(c: &Controller) -> Props {
    let bad = c.count_arrays(|s| s != ArrayState::Optimal);
    let bbu = c.battery.as_ref().map_or("N/A", |b| battery_word(b.state));
    props([
        ("Ctl", Value::from(c.number)),
        ("Model", c.model.replace(' ', "").into()),
        ("Ports", 8u32.into()),
        ("PDs", c.disks.len().into()),
        ("DGs", c.arrays.len().into()),
        ("DNOpt", bad.into()),
        ("VDs", c.arrays.len().into()),
        ("VNOpt", bad.into()),
        ("BBU", bbu.into()),
        ("sPR", "On".into()),
        ("DS", "1&2".into()),
        ("EHS", "Y".into()),
        ("ASOs", 4u32.into()),
        ("Hlth", if needs_attention(c) { "NdAtn" } else { "Opt" }.into()),
    ])
}

/// Words of the legend below the overview.
fn battery_word(state: BatteryState) -> &'static str {
    match state {
        BatteryState::Optimal | BatteryState::Learning => "Opt",
        BatteryState::Failed => "Fld",
        BatteryState::Missing => "Msng",
    }
}

fn needs_attention(c: &Controller) -> bool {
    let battery_bad = c.battery.as_ref().is_some_and(|b| !b.protects());
    battery_bad || c.memory_uncorrectable > 0 || c.count_arrays(|s| s != ArrayState::Optimal) > 0
}

pub fn brief(c: &Controller, now: u64) -> Response {
    let mut data = props([
        ("Product Name", Value::from(c.model.as_str())),
        ("Serial Number", c.serial.as_str().into()),
        ("SAS Address", format!(" {:016x}", c.sas_address).into()),
        ("PCI Address", pci(c).into()),
        ("System Time", clock::storcli(now).into()),
        ("Mfg. Date", "03/14/15".into()),
        ("Controller Time", clock::storcli(now).into()),
        ("FW Package Build", c.firmware.as_str().into()),
        ("BIOS Version", "6.33.01.0_4.16.07.00_0x06120304".into()),
        ("FW Version", "4.300.00-8352".into()),
        ("Driver Name", "megaraid_sas".into()),
        ("Driver Version", "07.719.03.00-rc1".into()),
        ("Current Personality", "RAID-Mode ".into()),
        ("Vendor Id", Value::Hex(c.pci.vendor)),
        ("Device Id", Value::Hex(c.pci.id)),
        ("SubVendor Id", Value::Hex(c.pci.subvendor)),
        ("SubDevice Id", Value::Hex(c.pci.subdevice)),
        ("Host Interface", "PCI-E".into()),
        ("Device Interface", "SAS-12G".into()),
        ("Bus Number", c.pci.bus.into()),
        ("Device Number", c.pci.device.into()),
        ("Function Number", 0u32.into()),
        ("Domain ID", 0u32.into()),
    ]);
    lists(c, now, &mut data);
    Response::ok(Some(c.number), "None", Value::Props(data))
}

pub fn full(c: &Controller, now: u64) -> Response {
    let mut data = props([
        ("Basics", Value::Props(basics(c, now))),
        ("Version", Value::Props(version(c))),
        ("Bus", Value::Props(bus(c))),
        ("Pending Images in Flash", Value::Props(props([("Image name", Value::from("No pending images"))]))),
        ("Status", Value::Props(status(c))),
        ("Supported Adapter Operations", Value::Props(operations())),
        ("HwCfg", Value::Props(hardware(c))),
        ("Policies", Value::Props(policies(c))),
        ("Defaults", Value::Props(defaults())),
        ("Capabilities", Value::Props(capabilities())),
        ("Scheduled Tasks", Value::Props(scheduled(c, now))),
    ]);
    lists(c, now, &mut data);
    Response::ok(Some(c.number), "None", Value::Props(data))
}

fn pci(c: &Controller) -> String {
    format!("00:{:02x}:{:02x}:00", c.pci.bus, c.pci.device)
}

fn basics(c: &Controller, now: u64) -> Props {
    props([
        ("Controller", Value::from(c.number)),
        ("Model", c.model.as_str().into()),
        ("Serial Number", c.serial.as_str().into()),
        ("Current Controller Date/Time", clock::storcli(now).into()),
        ("Current System Date/time", clock::storcli(now).into()),
        ("SAS Address", format!("{:016x}", c.sas_address).into()),
        ("PCI Address", pci(c).into()),
        ("Mfg Date", "03/14/15".into()),
        ("Rework Date", "00/00/00".into()),
        ("Revision No", "A04".into()),
    ])
}

fn version(c: &Controller) -> Props {
    props([
        ("Firmware Package Build", Value::from(c.firmware.as_str())),
        ("Firmware Version", "4.300.00-8352".into()),
        ("Bios Version", "6.33.01.0_4.16.07.00_0x06120304".into()),
        ("NVDATA Version", "3.1511.00-0028".into()),
        ("Boot Block Version", "3.07.00.00-0003".into()),
        ("Driver Name", "megaraid_sas".into()),
        ("Driver Version", "07.719.03.00-rc1".into()),
    ])
}

fn bus(c: &Controller) -> Props {
    props([
        ("Vendor Id", Value::Hex(c.pci.vendor)),
        ("Device Id", Value::Hex(c.pci.id)),
        ("SubVendor Id", Value::Hex(c.pci.subvendor)),
        ("SubDevice Id", Value::Hex(c.pci.subdevice)),
        ("Host Interface", "PCI-E".into()),
        ("Device Interface", "SAS-12G".into()),
        ("Bus Number", c.pci.bus.into()),
        ("Device Number", c.pci.device.into()),
        ("Function Number", 0u32.into()),
        ("Domain ID", 0u32.into()),
    ])
}

fn status(c: &Controller) -> Props {
    props([
        ("Controller Status", Value::from(if needs_attention(c) { "Needs Attention" } else { "Optimal" })),
        ("Memory Correctable Errors", c.memory_correctable.into()),
        ("Memory Uncorrectable Errors", c.memory_uncorrectable.into()),
        ("ECC Bucket Count", 0u32.into()),
        ("Any Offline VD Cache Preserved", "No".into()),
        ("BBU Status", bbu_status(c)),
        ("PD Firmware Download in progress", "No".into()),
        ("Support PD Firmware Download", "Yes".into()),
        ("Lock Key Assigned", "No".into()),
        ("Failed to get lock key on bootup", "No".into()),
        ("Lock key has not been backed up", "No".into()),
        ("Bios was not detected during boot", "No".into()),
        ("Controller must be rebooted to complete security operation", "No".into()),
        ("A rollback operation is in progress", "No".into()),
        ("At least one PFK exists in NVRAM", "No".into()),
        ("SSC Policy is WB", "No".into()),
        ("Controller has booted into safe mode", "No".into()),
        ("Controller shutdown required", "No".into()),
        ("Current Personality", "RAID-Mode ".into()),
    ])
}

/// Bits of the firmware's battery status word: 1 pack missing, 64 learn active, 1024 replace pack.
fn bbu_status(c: &Controller) -> Value {
    match c.battery.as_ref().map(|b| b.state) {
        None => "NA".into(),
        Some(BatteryState::Optimal) => 0u32.into(),
        Some(BatteryState::Learning) => 64u32.into(),
        Some(BatteryState::Failed) => 1024u32.into(),
        Some(BatteryState::Missing) => 1u32.into(),
    }
}

fn operations() -> Props {
    let yes = ["Rebuild Rate", "CC Rate", "BGI Rate ", "Reconstruct Rate", "Patrol Read Rate", "Alarm Control"];
    let more = ["BBU", "Spanning", "Dedicated Hot Spare", "Revertible Hot Spares", "Foreign Config Import"];
    props(yes.into_iter().chain(more).map(|key| (key, Value::from("Yes"))))
}

fn hardware(c: &Controller) -> Props {
    let battery = c.battery.as_ref();
    let present = battery.is_some_and(|b| b.state != BatteryState::Missing);
    props([
        ("ChipRevision", Value::from(" C0")),
        ("BatteryFRU", "N/A".into()),
        ("Front End Port Count", 0u32.into()),
        ("Backend Port Count", 8u32.into()),
        ("BBU", if present { "Present" } else { "Absent" }.into()),
        ("Alarm", "Absent".into()),
        ("Serial Debugger", "Present".into()),
        ("NVRAM Size", "32KB".into()),
        ("Flash Size", "16MB".into()),
        ("On Board Memory Size", format!("{}MB", c.memory_mb).into()),
        ("CacheVault Flash Size", "NA".into()),
        ("TPM", "Absent".into()),
        ("Upgrade Key", "Absent".into()),
        ("On Board Expander", "Absent".into()),
        ("Temperature Sensor for ROC", "Present".into()),
        ("Temperature Sensor for Controller", "Absent".into()),
        ("ROC temperature(Degree Celsius)", Value::Number(c.temperature.max(0) as u64)),
    ])
}

fn policies(c: &Controller) -> Props {
    let row = |name: &str, current: &str, default: &str| {
        props([("Policy", Value::from(name)), ("Current", current.into()), ("Default", default.into())])
    };
    let table = vec![
        row("Predictive Fail Poll Interval", "300 sec", ""),
        row("Rebuild Rate", "30 %", "30%"),
        row("PR Rate", "30 %", "30%"),
        row("BGI Rate", "30 %", "30%"),
        row("Check Consistency Rate", "30 %", "30%"),
        row("Cache Flush Interval", "4s", ""),
    ];
    props([
        ("Policies Table", Value::Table(table)),
        ("Flush Time(Default)", "4s".into()),
        ("Drive Coercion Mode", "128MB".into()),
        ("Auto Rebuild", if c.auto_rebuild { "On" } else { "Off" }.into()),
        ("Battery Warning", "On".into()),
        ("ECC Bucket Size", 15u32.into()),
        ("Restore Hot Spare on Insertion", "Off".into()),
        ("Expose Enclosure Devices", "Off".into()),
        ("Maintain PD Fail History", "On".into()),
        ("Disable Online Controller Reset", "Off".into()),
    ])
}

fn defaults() -> Props {
    props([
        ("Strip Size", Value::from("64 KB")),
        ("Write Policy", "WB".into()),
        ("Read Policy", "Read Ahead".into()),
        ("Cache When BBU Bad", "Off".into()),
        ("Cached IO", "Off".into()),
        ("SMART Mode", "Mode 6".into()),
    ])
}

fn capabilities() -> Props {
    props([
        ("Supported Drives", Value::from("SAS, SATA")),
        ("RAID Level Supported", "RAID0, RAID1(2 or more drives), RAID5, RAID6, RAID10, RAID50, RAID60".into()),
        ("Enable JBOD", "No".into()),
        ("Max Number of VDs", 64u32.into()),
    ])
}

fn scheduled(c: &Controller, now: u64) -> Props {
    let week = clock::storcli(now + 5 * 86_400);
    let mut tasks = props([
        ("Consistency Check Reoccurrence", Value::from("168 hrs")),
        ("Next Consistency check launch", week.as_str().into()),
        ("Patrol Read Reoccurrence", "168 hrs".into()),
        ("Next Patrol Read launch", week.into()),
    ]);
    if c.battery.is_some() {
        tasks.push(("Battery learn Reoccurrence".into(), "672 hrs".into()));
        tasks.push(("Next Battery Learn".into(), clock::storcli(now + FOUR_WEEKS).into()));
    }
    tasks.push(("OEMID".into(), if c.dell { "Dell" } else { "LSI" }.into()));
    tasks
}

fn lists(c: &Controller, now: u64, data: &mut Props) {
    let mut push = |title: &str, value: Value| data.push((title.to_owned(), value));
    push("Drive Groups", c.arrays.len().into());
    push("TOPOLOGY", Value::Table(rows::topology(c)));
    push("Virtual Drives", c.arrays.len().into());
    push("VD LIST", Value::Table(c.arrays.iter().map(|a| rows::vd(c, a)).collect()));
    push("Physical Drives", c.disks.len().into());
    push("PD LIST", Value::Table(c.disks.iter().map(|d| rows::pd(c, d)).collect()));
    if !c.enclosures.is_empty() {
        push("Enclosures", c.enclosures.len().into());
        push("Enclosure LIST", Value::Table(enclosures(c).collect()));
    }
    if let Some((title, row)) = c.battery.as_ref().and_then(|b| battery(b, now)) {
        push(title, Value::Table(vec![row]));
    }
}

fn enclosures(c: &Controller) -> impl Iterator<Item = Props> {
    c.enclosures.iter().map(|e: &Enclosure| rows::enclosure(c, e))
}

fn battery(b: &Battery, now: u64) -> Option<(&'static str, Props)> {
    (b.state != BatteryState::Missing).then(|| rows::battery(b, clock::learn(now + FOUR_WEEKS)))
}

fn property(key: &str, value: &str) -> Props {
    props([("Ctrl_Prop", Value::from(key)), ("Value", value.into())])
}

pub fn patrol(c: &Controller, now: u64) -> Response {
    let table = vec![
        property("PR Mode", "Auto"),
        property("PR Execution Delay", "168 hours"),
        property("PR iterations completed", "112"),
        property("PR Next Start time", &clock::storcli(now + 5 * 86_400)),
        property("PR on SSD", "Disabled"),
        property("PR Current State", "Stopped"),
        property("PR Excluded VDs", "None"),
        property("PR MaxConcurrentPd", "255"),
    ];
    Response::ok(Some(c.number), "None", Value::Props(props([("Controller Properties", Value::Table(table))])))
}

/// A schedule that is switched off still shows the date it had.
const STALE: u64 = 1_577_934_000;

pub fn check_schedule(c: &Controller) -> Response {
    let running = c.tasks.iter().any(|t| t.kind == crate::world::TaskKind::Check);
    let table = vec![
        property("CC Operation Mode", if c.schedule.is_some() { "Concurrent" } else { "Disabled" }),
        property("CC Execution Delay", &c.schedule.map_or(168, |s| s.hours).to_string()),
        property("CC Next Starttime", &clock::storcli(c.schedule.map_or(STALE, |s| s.next))),
        property("CC Current State", if running { "Active" } else { "Stopped" }),
        property("CC Number of iterations", "58"),
        property("CC Number of VD completed", "1"),
        property("CC Excluded VDs", "None"),
    ];
    Response::ok(Some(c.number), "None", Value::Props(props([("Controller Properties", Value::Table(table))])))
}
