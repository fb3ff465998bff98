//! A reading as plain lines, stable and short: what fixtures are compared with.

use raidmond_core::model::{Bond, BondLink, Disk, Observed};
use raidmond_core::survey::Reading;
use std::fmt::Debug;

/// One line per object, sorted; only what is stated.
pub fn text(reading: &Reading) -> String {
    let mut lines = Vec::new();
    for c in &reading.controllers {
        let mut l = Line::new(format!("controller {}", c.at));
        l.opt("model", &c.model).opt("serial", &c.serial).opt("firmware", &c.firmware).state(&c.state);
        l.opt("temperature", &c.temperature_celsius).opt("arrays", &c.arrays_counted).opt("disks", &c.disks_counted);
        l.opt("memory-correctable", &c.memory_correctable_errors)
            .opt("memory-uncorrectable", &c.memory_uncorrectable_errors);
        l.opt("makes-arrays", &c.makes_arrays);
        lines.push(l.0);
    }
    for a in &reading.arrays {
        let mut l = Line::new(format!("array {}", a.at));
        l.opt("name", &a.name).debug("level", &a.level).opt("bytes", &a.size_bytes).state(&a.state);
        l.opt("left", &a.redundancy_left).opt("width", &a.width).opt("bad-blocks", &a.bad_blocks);
        l.opt("inconsistencies", &a.inconsistencies);
        l.debug("default-write", &a.cache.default_write).debug("current-write", &a.cache.current_write);
        if !a.members.is_empty() {
            let members: Vec<String> = a.members.iter().map(|m| format!("{}@{}", m.disk.leaf(), m.group)).collect();
            l.0.push_str(&format!(" members={}", members.join(",")));
        }
        lines.push(l.0);
    }
    for d in &reading.disks {
        let mut l = Line::new(format!("disk {}", d.at));
        l.opt("model", &d.model)
            .opt("serial", &d.serial)
            .opt("did", &d.device_id)
            .opt("bytes", &d.size_bytes)
            .state(&d.state);
        l.debug("spare", &d.spare).opt("array", &d.array).opt("media", &d.media_errors).opt("other", &d.other_errors);
        l.opt("predictive-count", &d.predictive_errors).opt("reallocated", &d.reallocated_sectors);
        l.opt("foreign", &d.foreign).opt("temperature", &d.temperature_celsius);
        if let Some(p) = &d.predictive {
            l.0.push_str(&format!(" predictive={}", p.state));
        }
        l.smart(d);
        lines.push(l.0);
    }
    for c in &reading.caches {
        let mut l = Line::new(format!("cache {}", c.at));
        l.0.push_str(&format!(" {:?}", c.kind));
        l.state(&c.state).opt("charge", &c.charge_percent).opt("temperature", &c.temperature_celsius);
        l.opt("learning", &c.learning);
        if let Some(r) = &c.replace {
            l.0.push_str(&format!(" replace={}", r.state));
        }
        lines.push(l.0);
    }
    for e in &reading.enclosures {
        for p in &e.parts {
            let mut l = Line::new(format!("part {} {:?} {:?}", e.at, p.kind, p.name));
            l.state(&Some(p.state.clone())).opt("value", &p.value);
            lines.push(l.0);
        }
    }
    lines.extend(reading.bonds.iter().flat_map(bond));
    lines.extend(work(reading));
    for f in &reading.findings {
        let mut l = Line::new(format!("finding {}", f.at));
        l.state(&Some(f.what.clone())).opt("count", &f.count);
        lines.push(l.0);
    }
    for o in &reading.events {
        lines.push(format!(
            "event {} {:?} rule={} seq={:?} said={:?}",
            o.about.path, o.sign, o.rule, o.sequence, o.said
        ));
    }
    for n in &reading.notes {
        lines.push(format!("note {:?} at={} said={:?}", n.kind, n.at, n.said));
    }
    for (at, what) in reading.coverage.iter() {
        lines.push(format!("covers {what:?} of {at}"));
    }
    lines.sort();
    lines.iter().map(|l| format!("{l}\n")).collect()
}

fn bond(bond: &Bond) -> Vec<String> {
    let mut whole = Line::new(format!("bond {}", bond.at));
    whole.opt("mode", &bond.mode).opt("spreads", &bond.spreads);
    whole.opt("partner", &bond.partner.as_ref().map(|p| p.state));
    let link = |l: &BondLink| {
        let mut line = Line::new(format!("link {} {}", bond.at, l.name));
        line.state(&Some(l.state.clone())).opt("mbps", &l.speed_mbps).opt("failures", &l.failures);
        line.opt("duplex", &l.duplex.as_ref().map(|d| &d.said));
        line.opt("in-group", &l.in_group.as_ref().map(|g| g.state));
        line.0
    };
    let links = bond.links.iter().map(link);
    std::iter::once(whole.0.clone()).chain(links).collect()
}

fn work(reading: &Reading) -> Vec<String> {
    let mut lines = Vec::new();
    for t in &reading.tasks {
        let mut l = Line::new(format!("task {} {:?}", t.on, t.kind));
        l.state(&Some(t.state.clone())).opt("percent", &t.percent);
        lines.push(l.0);
    }
    for s in &reading.schedules {
        let mut l = Line::new(format!("schedule {} {:?} {:?}", s.on, s.kind, s.by));
        l.opt("active", &s.active).opt("next", &s.next).opt("period", &s.period);
        l.0.push_str(&format!(" said={:?}", s.said));
        lines.push(l.0);
    }
    lines
}

struct Line(String);

impl Line {
    fn new(start: String) -> Self {
        Self(start)
    }

    fn opt<T: std::fmt::Display>(&mut self, key: &str, value: &Option<T>) -> &mut Self {
        if let Some(value) = value {
            let value = value.to_string();
            let value = if value.contains(' ') { format!("{value:?}") } else { value };
            self.0.push_str(&format!(" {key}={value}"));
        }
        self
    }

    fn debug<T: Debug>(&mut self, key: &str, value: &Option<T>) -> &mut Self {
        if let Some(value) = value {
            self.0.push_str(&format!(" {key}={value:?}"));
        }
        self
    }

    fn smart(&mut self, d: &Disk) {
        self.opt("unrecovered", &d.unrecovered_errors).stated("unreadable", &d.unreadable);
        self.stated("self-test-failed", &d.self_test_failed).stated("worn", &d.worn);
        self.stated("recovery", &d.error_recovery).opt("kernel-timeout", &d.kernel_timeout_seconds);
    }

    fn stated<S: Debug>(&mut self, key: &str, value: &Option<Observed<S>>) -> &mut Self {
        if let Some(o) = value {
            self.0.push_str(&format!(" {key}={:?}({:?})", o.state, o.said));
        }
        self
    }

    fn state<S: Debug>(&mut self, state: &Option<Observed<S>>) -> &mut Self {
        if let Some(o) = state {
            self.0.push_str(&format!(" {:?}({:?})", o.state, o.said));
        }
        self
    }
}
