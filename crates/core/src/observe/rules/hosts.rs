//! Other host adapters: Areca, IBM ServeRAID, libsas, USB storage, enclosure services.

use super::{Observation, Rule, Sign, by_words, driver_trouble, rule, words};
use crate::model::{Alias, Space};

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("arcmsr", Sign::Info, &["arcmsr"], &["isr get", "abort", "reset", "timeout", "command", "scsi id"],
        r"^(?P<ioc>arcmsr ?\d*): ?(?P<text>.*(?:isr get an illegal ccb|abort|reset|timeout|bus reset|command|scsi id = \d+ lun = \d+).*)").space(Space::Areca).refine(handler),
    rule("ips", Sign::Info, &["(ips", "(scsi"], &[], r"^\((?P<ioc>ips\d+|scsi\d+)\) (?P<text>.*(?:[Rr]esetting|[Ff]ail|timed out|dead).*)").space(Space::OldScsi).refine(handler),
    rule("sas.phy", Sign::Info, &["sas: ", "sas ", "mvsas", "pm80xx", "isci"], &["lost", "down", "reset", "sas_ata", "abort", "broadcast", "REVALIDATING"],
        r"^(?P<drv>sas|mvsas|pm80xx\S*|isci) ?(?P<pci>[0-9a-f:.]*):? ?(?P<text>.*(?:phy\S* (?:lost|down)|link (?:lost|reset)|sas_ata\d+|task abort|broadcast received|REVALIDATING DOMAIN).*)").refine(phy),
    // RAID drivers saying that something failed, in words nobody listed.
    rule("driver.other", Sign::UnspecifiedFault,
        &["hpsa ", "aacraid", "smartpqi ", "mpt2sas", "mpt3sas", "mpi3mr", "arcmsr", "3w-9xxx", "3w-sas", "3w-xxxx", "megaraid: ", "ipr ", "hptiop"],
        &["ail", "FAIL", "ault", "FAULT", "dead", "panic", "ockup", "kill", "ffline", "egraded"],
        r"(?i)^(?P<drv>[\w-]+)(?: (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d))?:? .*\b(?:fail(?:ed|ure)?|fault|dead|panic\w*|lockup|killed|offline|degraded)\b")
        .only_if(driver_trouble),
    rule("usb.uas", Sign::Info, &["usb "], &["disconnect", "reset ", "descriptor read"],
        r"^usb (?P<bus>[\d.-]+): (?:USB disconnect, device number (?P<dn>\d+)|reset \S+ USB device number \d+ using \w+|device descriptor read/.*error -?\d+)"),
    rule("usb.uas_eh", Sign::Timeout, &["sd "], &["uas_eh_"], r"^sd (?P<hctl>[\d:]+): (?:\[(?P<dev>\w+)\] )?(?:tag#\d+ )?uas_eh_\w+"),
    rule("ses", Sign::Info, &["ses "], &["diagnostic page", "bind enclosure", "Attached Enclosure"],
        r"^ses (?P<hctl>[\d:]+): (?P<text>Failed to get diagnostic page 0x[0-9a-f]+|Failed to bind enclosure -?\d+|Attached Enclosure device|Wrong diagnostic page.*)"),
];

fn handler(seen: &mut Observation) {
    let text = seen.about.field("text").to_ascii_lowercase();
    if text.contains("reset") && !text.contains("fail") {
        seen.sign = Sign::ControllerReset;
    } else {
        by_words(seen);
    }
}

fn phy(seen: &mut Observation) {
    let text = seen.about.field("text");
    let chatter = ["REVALIDATING", "broadcast", "sas_ata"].iter().any(|w| text.contains(w));
    seen.sign = match () {
        () if text.contains("task abort") => Sign::Timeout,
        () if chatter => Sign::Info,
        () => words::trouble(text).map_or(Sign::Info, |_| Sign::LinkError),
    };
    if seen.about.aliases.is_empty() {
        let driver = Alias::Kernel(seen.about.field("drv").to_owned());
        seen.about.aliases.push(driver);
    }
}
