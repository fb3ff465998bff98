//! From what the daemon publishes to points and changes: lowest, highest and last of each number, and each
//! state when it turns. What was not read anew since the last look is no new point.

use crate::serve::status::StatusDoc;
use crate::serve::wire::{State, TaskDoc};
use crate::store::samples::{Batch, Of, Point};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Changes wait in memory while they cannot be saved; more than this is noise.
const MOST_CHANGES: usize = 10_000;
const STATE: &str = "state";
const OVER: &str = "over";

type Key = (u64, String);

#[derive(Default)]
pub struct Collector {
    instance: Option<String>,
    /// When each object was read as it was last heard.
    read_at: BTreeMap<u64, String>,
    points: BTreeMap<Of, Point>,
    states: BTreeMap<Key, String>,
    changes: Vec<(Of, Timestamp, String)>,
}

/// One object of the document.
struct Object<'a> {
    id: u64,
    name: &'a str,
    serial: Option<&'a str>,
    read_at: &'a str,
    state: Option<&'a State>,
    numbers: Vec<(&'static str, Option<f64>)>,
}

impl Collector {
    pub fn is_new_to(&self, instance: &str) -> bool {
        !instance.is_empty() && self.instance.as_deref() != Some(instance)
    }

    pub fn begin(&mut self, instance: &str, known: Vec<(Key, String)>) {
        *self = Self { instance: Some(instance.to_owned()), states: known.into_iter().collect(), ..Self::default() };
    }

    pub fn hear(&mut self, doc: &StatusDoc) {
        for object in objects(doc) {
            let known = self.read_at.insert(object.id, object.read_at.to_owned());
            let Ok(at) = object.read_at.parse::<Timestamp>() else { continue };
            if known.as_deref() != Some(object.read_at) {
                self.read(&object, at, &doc.objects.tasks);
            }
        }
    }

    fn read(&mut self, object: &Object, at: Timestamp, tasks: &[TaskDoc]) {
        for (metric, value) in &object.numbers {
            value.iter().for_each(|v| self.number(object.of(metric), at, *v));
        }
        if let Some(state) = object.state {
            self.turn(object.of(STATE), at, &state.state);
        }
        let mine: Vec<&TaskDoc> = tasks.iter().filter(|t| t.on == object.name).collect();
        for task in &mine {
            self.turn(object.of(&task.kind), at, &task.state.state);
            task.percent.iter().for_each(|p| self.number(object.of(&format!("{}_percent", task.kind)), at, *p));
        }
        let is_over = |((id, what), said): &(&Key, &String)| {
            *id == object.id && what != STATE && *said != OVER && !mine.iter().any(|t| t.kind == *what)
        };
        let over: Vec<String> = self.states.iter().filter(is_over).map(|((_, what), _)| what.clone()).collect();
        over.iter().for_each(|what| self.turn(object.of(what), at, OVER));
    }

    fn number(&mut self, of: Of, at: Timestamp, value: f64) {
        let new = Point { at, low: value, high: value, last: value };
        let point = self.points.entry(of).or_insert(new);
        *point = Point { at, low: point.low.min(value), high: point.high.max(value), last: value };
    }

    fn turn(&mut self, of: Of, at: Timestamp, said: &str) {
        let key = (of.object, of.metric.clone());
        if self.states.get(&key).is_some_and(|known| known == said) || self.changes.len() >= MOST_CHANGES {
            return;
        }
        self.states.insert(key, said.to_owned());
        self.changes.push((of, at, said.to_owned()));
    }

    pub fn take(&mut self) -> Batch {
        Batch {
            instance: self.instance.clone().unwrap_or_default(),
            points: std::mem::take(&mut self.points).into_iter().collect(),
            states: std::mem::take(&mut self.changes),
        }
    }
}

impl Object<'_> {
    fn of(&self, metric: &str) -> Of {
        Of {
            object: self.id,
            metric: metric.to_owned(),
            name: self.name.to_owned(),
            serial: self.serial.unwrap_or_default().to_owned(),
        }
    }
}

fn objects(doc: &StatusDoc) -> Vec<Object<'_>> {
    let o = &doc.objects;
    let count = |n: Option<u64>| n.map(|n| n as f64);
    let degrees = |n: Option<i64>| n.map(|n| n as f64);
    let disks = o.disks.iter().map(|d| Object {
        id: d.id,
        name: &d.name,
        serial: d.serial.as_deref(),
        read_at: &d.read_at,
        state: d.state.as_ref(),
        numbers: vec![
            ("temperature", degrees(d.temperature_celsius)),
            ("media_errors", count(d.media_errors)),
            ("other_errors", count(d.other_errors)),
            ("predictive_errors", count(d.predictive_errors)),
            ("reallocated_sectors", count(d.reallocated_sectors)),
            ("link_errors", count(d.link_errors)),
            ("timeouts", count(d.timeouts)),
        ],
    });
    let arrays = o.arrays.iter().map(|a| Object {
        id: a.id,
        name: &a.name,
        serial: None,
        read_at: &a.read_at,
        state: a.state.as_ref(),
        numbers: vec![
            ("redundancy_left", a.redundancy_left.map(f64::from)),
            ("inconsistencies", count(a.inconsistencies)),
        ],
    });
    let controllers = o.controllers.iter().map(|c| Object {
        id: c.id,
        name: &c.name,
        serial: c.serial.as_deref(),
        read_at: &c.read_at,
        state: c.state.as_ref(),
        numbers: vec![
            ("temperature", degrees(c.temperature_celsius)),
            ("memory_correctable_errors", count(c.memory_correctable_errors)),
            ("memory_uncorrectable_errors", count(c.memory_uncorrectable_errors)),
        ],
    });
    let caches = o.caches.iter().map(|c| Object {
        id: c.id,
        name: &c.name,
        serial: None,
        read_at: &c.read_at,
        state: c.state.as_ref(),
        numbers: vec![("temperature", degrees(c.temperature_celsius)), ("charge_percent", count(c.charge_percent))],
    });
    disks.chain(arrays).chain(controllers).chain(caches).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::wire::DiskDoc;

    fn doc(read_at: &str, state: &str, degrees: i64, tasks: &[(&str, f64)]) -> StatusDoc {
        let disk: DiskDoc = serde_json::from_value(serde_json::json!({
            "id": 5, "name": "c0/32:5", "serial": "Z5", "state": {"state": state, "said": "word"},
            "hot_spare": false, "temperature_celsius": degrees, "sources": ["storcli"], "read_at": read_at,
        }))
        .unwrap();
        let task = |(kind, percent): &(&str, f64)| TaskDoc {
            on: "c0/32:5".to_owned(),
            kind: (*kind).to_owned(),
            state: State { state: "running".to_owned(), said: "word".to_owned() },
            percent: Some(*percent),
            seconds_left: None,
        };
        let state = raidmond_core::incident::State { instance: "a".to_owned(), ..Default::default() };
        let now = "2026-11-30T03:12:45Z".parse().unwrap();
        let mut doc = crate::serve::status::document(&state, &Default::default(), now);
        doc.objects.disks = vec![disk];
        doc.objects.tasks = tasks.iter().map(task).collect();
        doc
    }

    fn collector() -> Collector {
        let mut collector = Collector::default();
        assert!(collector.is_new_to("a"));
        collector.begin("a", Vec::new());
        collector
    }

    #[test]
    fn what_was_not_read_again_is_no_point() {
        let mut collector = collector();
        collector.hear(&doc("2026-11-30T03:00:00Z", "online", 30, &[]));
        assert_eq!(collector.take().points.len(), 1);
        collector.hear(&doc("2026-11-30T03:00:00Z", "online", 30, &[]));
        assert!(collector.take().points.is_empty(), "the same reading again");
        for (at, degrees) in [("2026-11-30T03:01:00Z", 44), ("2026-11-30T03:02:00Z", 31)] {
            collector.hear(&doc(at, "online", degrees, &[]));
        }
        let batch = collector.take();
        let (of, point) = &batch.points[0];
        assert_eq!((of.metric.as_str(), of.serial.as_str(), batch.instance.as_str()), ("temperature", "Z5", "a"));
        assert_eq!((point.low, point.high, point.last), (31.0, 44.0, 31.0));
    }

    #[test]
    fn a_state_is_told_when_it_turns_and_a_task_when_it_begins_and_ends() {
        let mut collector = collector();
        collector.begin("a", vec![((5, STATE.to_owned()), "online".to_owned())]);
        collector.hear(&doc("2026-11-30T03:00:00Z", "online", 30, &[]));
        assert!(collector.take().states.is_empty(), "it was online in the last life");
        collector.hear(&doc("2026-11-30T03:01:00Z", "rebuilding", 30, &[("rebuild", 3.0)]));
        collector.hear(&doc("2026-11-30T03:02:00Z", "rebuilding", 30, &[("rebuild", 9.0)]));
        collector.hear(&doc("2026-11-30T03:03:00Z", "online", 30, &[]));
        let batch = collector.take();
        let said: Vec<_> = batch.states.iter().map(|(of, _, said)| (of.metric.as_str(), said.as_str())).collect();
        assert_eq!(said, [("state", "rebuilding"), ("rebuild", "running"), ("state", "online"), ("rebuild", "over")]);
    }
}
