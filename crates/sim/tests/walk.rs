//! Long random walks over faults and time: the world stays consistent and every tool answers.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use raidmond_sim::world::{DiskState, World};
use raidmond_sim::{Line, faults, motion, presets, script, tools};
use std::collections::BTreeSet;

/// A small generator of our own: the same walk on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

fn any_fault(dice: &mut Dice) -> String {
    let (card, disks): (&str, &[&str]) = match dice.roll(4) {
        0 => ("c0", &["32:0", "32:1", "32:2", "32:3", "32:5", "32:8", "32:9"]),
        1 => ("c1", &["p0", "p1", "p2", "p3", "p4"]),
        2 => ("a1", &["0,0", "0,1"]),
        _ => ("m0", &["0:0", "0:1", "0:2", "0:3"]),
    };
    match dice.roll(5) {
        0 => format!("battery {card} {}", dice.pick(&["fails", "removed", "replaced", "learns"])),
        1 => format!("check {card} v0 {}", dice.pick(&["starts", "stops", "finds 3"])),
        2 => {
            format!("controller {card} {}", dice.pick(&["vanishes", "returns", "returns", "resets", "memory-errors 2"]))
        }
        _ => {
            let what = dice.pick(&[
                "fails",
                "offline",
                "predictive",
                "foreign",
                "pulled",
                "replaced",
                "replaced",
                "replaced",
                "spare",
                "spare",
                "rebuild-fails",
                "media-errors 2",
            ]);
            format!("disk {card} {} {what}", dice.pick(disks))
        }
    }
}

fn consistent(world: &World, after: &str) {
    for c in &world.controllers {
        let mut held = BTreeSet::new();
        for a in &c.arrays {
            assert!(!c.present || c.state_now(a) == a.state, "{} v{} after {after}", c.id, a.number);
            for id in a.members.iter().filter_map(|m| m.disk) {
                assert!(held.insert(id), "{} disk {id} held twice after {after}", c.id);
                assert_ne!(c.disk(id).map(|d| d.state), Some(DiskState::HotSpare), "{} disk {id} after {after}", c.id);
            }
        }
        let ids: BTreeSet<u32> = c.disks.iter().map(|d| d.device_id).collect();
        assert_eq!(ids.len(), c.disks.len(), "{} device ids after {after}", c.id);
        for d in c.disks.iter().filter(|d| d.state == DiskState::Rebuilding) {
            assert!(held.contains(&d.device_id), "{} rebuilds a stranger after {after}", c.id);
        }
    }
}

const QUESTIONS: [&str; 12] = [
    "storcli64 /c0 show all J",
    "storcli64 /c0/vall show all J",
    "storcli64 /c0/eall/sall show all J",
    "storcli64 /c0/eall/sall show rebuild J",
    "storcli64 /c0 show",
    "MegaCli64 -LdPdInfo -aALL",
    "MegaCli64 -PDList -aALL",
    "MegaCli64 -AdpBbuCmd -aALL",
    "tw_cli /c1 show all",
    "tw_cli /c1/u0 show all",
    "arcconf GETCONFIG 1 AL",
    "megarc -dispCfg -a0",
];

fn ask(world: &mut World, question: &str) -> tools::Answer {
    let words: Vec<String> = question.split_whitespace().map(str::to_owned).collect();
    tools::answer(&words[0], &words[1..], world, &mut Vec::new())
}

#[test]
fn the_world_stays_consistent_whatever_happens() {
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let mut world = presets::demo();
        let mut lines: Vec<Line> = Vec::new();
        for _ in 0..150 {
            let text = any_fault(&mut dice);
            // Some do not fit the world as it is by now; they must leave it as it was.
            let before = world.clone();
            match faults::apply(&mut world, &script::fault(&text).unwrap()) {
                Ok(said) => lines.extend(said),
                Err(_) => assert_eq!(world, before, "refused, yet something changed: {text}"),
            }
            consistent(&world, &text);
            lines.extend(motion::advance(&mut world, dice.roll(60) as f64));
            consistent(&world, &format!("{text}, and some time"));
            let question = QUESTIONS[dice.roll(QUESTIONS.len())];
            let before = world.clone();
            let answer = ask(&mut world, question);
            assert!(!answer.stdout.trim().is_empty(), "{question}");
            assert!(!question.ends_with(" J") || serde_json::from_str::<serde_json::Value>(&answer.stdout).is_ok());
            assert_eq!(world, before, "`{question}` changed the world");
        }
        assert!(lines.len() > 20, "seed {seed}: {}", lines.len());
    }
}
