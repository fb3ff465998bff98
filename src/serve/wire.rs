//! The JSON documents of `inspect --json` and `status --json`. Stable: fields are added, never renamed.

use raidmond_core::diagnose::{Condition, redundancy};
use raidmond_core::host::{Seen, View};
use raidmond_core::identity::ObjectId;
use raidmond_core::model::{Array, Bond, CacheProtection, Controller, Disk, Enclosure, Observed, Task};
use raidmond_core::observe::Observation;
use serde::{Deserialize, Serialize};

/// A state and the vendor's words for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    pub state: String,
    pub said: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ControllerDoc {
    pub id: u64,
    pub name: String,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub driver: Option<String>,
    pub state: Option<State>,
    pub temperature_celsius: Option<i64>,
    #[serde(default)]
    pub memory_correctable_errors: Option<u64>,
    #[serde(default)]
    pub memory_uncorrectable_errors: Option<u64>,
    pub sources: Vec<String>,
    pub read_at: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArrayDoc {
    pub id: u64,
    pub name: String,
    pub label: Option<String>,
    pub level: Option<String>,
    pub size_bytes: Option<u64>,
    pub state: Option<State>,
    /// How many further disks it can lose now.
    pub redundancy_left: Option<u32>,
    pub redundancy_built: Option<u32>,
    pub restoring: bool,
    pub lost_members: Vec<String>,
    /// Found by the last completed check.
    #[serde(default)]
    pub inconsistencies: Option<u64>,
    pub members: Vec<String>,
    pub cache_current: Option<String>,
    pub cache_default: Option<String>,
    pub device: Option<String>,
    pub mounts: Vec<String>,
    pub sources: Vec<String>,
    pub read_at: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiskDoc {
    pub id: u64,
    pub name: String,
    pub enclosure: Option<String>,
    pub slot: Option<String>,
    pub device_id: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub size_bytes: Option<u64>,
    pub state: Option<State>,
    pub hot_spare: bool,
    pub array: Option<String>,
    pub predictive: Option<bool>,
    pub media_errors: Option<u64>,
    pub other_errors: Option<u64>,
    pub reallocated_sectors: Option<u64>,
    #[serde(default)]
    pub predictive_errors: Option<u64>,
    #[serde(default)]
    pub link_errors: Option<u64>,
    #[serde(default)]
    pub timeouts: Option<u64>,
    pub temperature_celsius: Option<i64>,
    pub foreign: Option<bool>,
    pub sources: Vec<String>,
    pub read_at: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CacheDoc {
    pub id: u64,
    pub name: String,
    pub kind: String,
    pub state: Option<State>,
    pub replace: Option<bool>,
    pub charge_percent: Option<u64>,
    pub temperature_celsius: Option<i64>,
    pub learning: Option<bool>,
    #[serde(default)]
    pub sources: Vec<String>,
    #[serde(default)]
    pub read_at: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartDoc {
    pub kind: String,
    pub name: String,
    pub state: State,
    pub value: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnclosureDoc {
    pub id: u64,
    pub name: String,
    pub model: Option<String>,
    pub parts: Vec<PartDoc>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinkDoc {
    pub name: String,
    pub state: State,
    pub speed_mbps: Option<u64>,
    pub failures: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BondDoc {
    pub id: u64,
    pub name: String,
    pub mode: Option<String>,
    pub links: Vec<LinkDoc>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskDoc {
    pub on: String,
    pub kind: String,
    pub state: State,
    pub percent: Option<f64>,
    pub seconds_left: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ConditionDoc {
    pub kind: String,
    pub severity: String,
    /// Name of the object: "c0/v0", "c0/32:5".
    pub subject: String,
    /// The object whose incident it belongs to.
    pub anchor: String,
    pub headline: String,
    /// Evidence, each "source: words".
    pub said: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObservationDoc {
    pub sign: String,
    pub about: String,
    pub at: Option<String>,
    pub count: u64,
    pub rule: String,
    pub said: String,
}

/// The objects of one host.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ObjectsDoc {
    pub controllers: Vec<ControllerDoc>,
    pub arrays: Vec<ArrayDoc>,
    pub disks: Vec<DiskDoc>,
    pub caches: Vec<CacheDoc>,
    pub enclosures: Vec<EnclosureDoc>,
    #[serde(default)]
    pub bonds: Vec<BondDoc>,
    pub tasks: Vec<TaskDoc>,
}

/// A kebab-case word of an enum, as serde writes it.
pub fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => "unknown".to_owned(),
    }
}

fn state<S: Serialize>(observed: &Option<Observed<S>>) -> Option<State> {
    observed.as_ref().map(stated)
}

fn stated<S: Serialize>(observed: &Observed<S>) -> State {
    State { state: word(&observed.state), said: observed.said.clone() }
}

pub fn objects(view: &View) -> ObjectsDoc {
    ObjectsDoc {
        controllers: view.controllers.iter().map(controller).collect(),
        arrays: view.arrays.iter().map(|a| array(view, a)).collect(),
        disks: view.disks.iter().map(|d| disk(view, d)).collect(),
        caches: view.caches.iter().map(cache).collect(),
        enclosures: view.enclosures.iter().map(enclosure).collect(),
        bonds: view.bonds.iter().map(bond).collect(),
        tasks: view.tasks.iter().map(|(on, t)| task(view, *on, t)).collect(),
    }
}

fn controller(seen: &Seen<Controller>) -> ControllerDoc {
    let f = &seen.facts;
    ControllerDoc {
        id: seen.id.0,
        name: seen.name.clone(),
        model: f.model.clone(),
        serial: f.serial.clone(),
        firmware: f.firmware.clone(),
        driver: f.driver.clone(),
        state: state(&f.state),
        temperature_celsius: f.temperature_celsius,
        memory_correctable_errors: f.memory_correctable_errors,
        memory_uncorrectable_errors: f.memory_uncorrectable_errors,
        sources: seen.sources.clone(),
        read_at: seen.at.to_string(),
    }
}

fn array(view: &View, seen: &Seen<Array>) -> ArrayDoc {
    let f = &seen.facts;
    let r = redundancy(view, seen);
    ArrayDoc {
        id: seen.id.0,
        name: seen.name.clone(),
        label: f.name.clone(),
        level: f.level.map(|l| l.word().to_owned()).or_else(|| f.level_said.clone()),
        size_bytes: f.size_bytes,
        state: state(&f.state),
        redundancy_left: r.left,
        redundancy_built: r.built,
        restoring: r.restoring,
        lost_members: r.lost_names,
        inconsistencies: f.inconsistencies,
        members: view.members(seen).map(|d| d.name.clone()).collect(),
        cache_current: f.cache.said_current.clone(),
        cache_default: f.cache.said_default.clone(),
        device: f.device.clone(),
        mounts: f.mounts.clone(),
        sources: seen.sources.clone(),
        read_at: seen.at.to_string(),
    }
}

fn disk(view: &View, seen: &Seen<Disk>) -> DiskDoc {
    let f = &seen.facts;
    DiskDoc {
        id: seen.id.0,
        name: seen.name.clone(),
        enclosure: f.enclosure.clone(),
        slot: f.slot.clone(),
        device_id: f.device_id.clone(),
        model: f.model.clone(),
        serial: f.serial.clone(),
        size_bytes: f.size_bytes,
        state: state(&f.state),
        hot_spare: f.spare.is_some(),
        array: view.array_of(seen).map(|a| a.name.clone()),
        predictive: f.predictive.as_ref().map(|p| p.state),
        media_errors: f.media_errors,
        other_errors: f.other_errors,
        reallocated_sectors: f.reallocated_sectors,
        predictive_errors: f.predictive_errors,
        link_errors: f.link_errors,
        timeouts: f.timeouts,
        temperature_celsius: f.temperature_celsius,
        foreign: f.foreign,
        sources: seen.sources.clone(),
        read_at: seen.at.to_string(),
    }
}

fn cache(seen: &Seen<CacheProtection>) -> CacheDoc {
    let f = &seen.facts;
    CacheDoc {
        id: seen.id.0,
        name: seen.name.clone(),
        kind: word(&f.kind),
        state: state(&f.state),
        replace: f.replace.as_ref().map(|r| r.state),
        charge_percent: f.charge_percent,
        temperature_celsius: f.temperature_celsius,
        learning: f.learning,
        sources: seen.sources.clone(),
        read_at: seen.at.to_string(),
    }
}

fn enclosure(seen: &Seen<Enclosure>) -> EnclosureDoc {
    let part = |p: &raidmond_core::model::Part| PartDoc {
        kind: word(&p.kind),
        name: p.name.clone(),
        state: stated(&p.state),
        value: p.value,
    };
    EnclosureDoc {
        id: seen.id.0,
        name: seen.name.clone(),
        model: seen.facts.model.clone(),
        parts: seen.facts.parts.iter().map(part).collect(),
    }
}

fn bond(seen: &Seen<Bond>) -> BondDoc {
    let link = |l: &raidmond_core::model::BondLink| LinkDoc {
        name: l.name.clone(),
        state: stated(&l.state),
        speed_mbps: l.speed_mbps,
        failures: l.failures,
    };
    BondDoc {
        id: seen.id.0,
        name: seen.name.clone(),
        mode: seen.facts.mode.clone(),
        links: seen.facts.links.iter().map(link).collect(),
    }
}

/// By the name its object goes by; the tool's own path where the object is not known.
fn task(view: &View, on: Option<ObjectId>, task: &Task) -> TaskDoc {
    TaskDoc {
        on: on.and_then(|id| name(view, id)).unwrap_or_else(|| task.on.to_string()),
        kind: word(&task.kind),
        state: stated(&task.state),
        percent: task.percent,
        seconds_left: task.seconds_left,
    }
}

fn name(view: &View, id: ObjectId) -> Option<String> {
    let controllers = view.controllers.iter().map(|c| (c.id, &c.name));
    let arrays = view.arrays.iter().map(|a| (a.id, &a.name));
    let disks = view.disks.iter().map(|d| (d.id, &d.name));
    controllers.chain(arrays).chain(disks).find(|(known, _)| *known == id).map(|(_, name)| name.clone())
}

pub fn condition(condition: &Condition) -> ConditionDoc {
    ConditionDoc {
        kind: condition.kind.word().to_owned(),
        severity: condition.severity.word().to_owned(),
        subject: condition.subject.name.clone(),
        anchor: condition.anchor.name.clone(),
        headline: condition.headline.clone(),
        said: condition.evidence.iter().map(|e| format!("{}: {}", e.source, e.said)).collect(),
    }
}

pub fn observation(o: &Observation) -> ObservationDoc {
    let about = match (o.about.path.as_str(), o.about.aliases.first()) {
        ("", Some(alias)) => alias.value().to_owned(),
        (path, _) => path.to_owned(),
    };
    ObservationDoc {
        sign: word(&o.sign),
        about,
        at: o.at.map(|t| t.to_string()),
        count: o.count,
        rule: o.rule.clone(),
        said: o.said.clone(),
    }
}
