//! The simulated host, asked through an adapter's own conversation. For a family whose tool it does not
//! speak, the adapter's fixture `well.txt` answers in its place.

use raidmond::poll;
use raidmond_adapters::{Adapter, Conversation, Step, capture, registry};
use raidmond_core::survey::{Answer, Asked, Known, Outcome, Query, Reading, Scope, ToolFound, Transcript};
use raidmond_sim::world::World;
use raidmond_sim::{Sim, presets, tools};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything asked in a discovery and in the survey of the first controller it finds.
pub fn asked(adapter: &dyn Adapter) -> Vec<(Query, Answer)> {
    if adapter.follows_others() {
        return Host::new(presets::demo()).survey_follower(adapter);
    }
    if adapter.watches_without_card().is_some() && recording(adapter.family()).exists() {
        return Host { recorded: Some(well(adapter.family())), ..Host::new(presets::demo()) }.survey_recorded(adapter);
    }
    if adapter.watches_without_card().is_some() {
        let host = Host::new(presets::demo());
        return match adapter.family() {
            "md" => host.survey_md(adapter),
            family => Host { recorded: Some(well(family)), ..host }.survey_software(adapter),
        };
    }
    match speaks(adapter) {
        Some(_) => Host::new(presets::demo()),
        None => Host { recorded: Some(well(adapter.family())), ..Host::new(presets::demo()) },
    }
    .survey(adapter)
}

/// The tool of this family that the simulated host has.
fn speaks(adapter: &dyn Adapter) -> Option<&'static str> {
    adapter.tools().iter().flat_map(|t| t.names).find(|n| tools::NAMES.contains(n)).copied()
}

fn recording(family: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("crates/adapters/src/{family}/cases/well.txt"))
}

fn well(family: &str) -> Vec<Answer> {
    let path = recording(family);
    let bytes = fs::read(&path).unwrap_or_else(|e| panic!("no simulated host and no {}: {e}", path.display()));
    Transcript::parse(&bytes).unwrap().polls[0].answers.clone()
}

pub struct Host {
    pub sim: Sim,
    root: tempfile::TempDir,
    /// Answers instead of the world.
    recorded: Option<Vec<Answer>>,
}

impl Host {
    pub fn new(world: World) -> Self {
        let root = tempfile::tempdir().unwrap();
        let sim = Sim::create(root.path(), Path::new("/bin/false"), world).unwrap();
        Self { sim, root, recorded: None }
    }

    /// One md array: the simulated host has none of its own.
    fn survey_md(&self, adapter: &dyn Adapter) -> Vec<(Query, Answer)> {
        let (proc, sys) = (self.root.path().join("proc"), self.root.path().join("sys/block/md0/md"));
        fs::create_dir_all(&proc).unwrap();
        fs::create_dir_all(sys.join("dev-sda1")).unwrap();
        let array = "md0 : active raid1 sda1[0]\n      200 blocks [1/1] [U]\n";
        let mdstat = format!("Personalities : [raid1]\n{array}\nunused devices: <none>\n");
        fs::write(proc.join("mdstat"), mdstat).unwrap();
        for (file, text) in
            [("array_state", "clean"), ("sync_action", "idle"), ("dev-sda1/state", "in_sync"), ("dev-sda1/slot", "0")]
        {
            fs::write(sys.join(file), text).unwrap();
        }
        self.survey_software(adapter)
    }

    fn survey_software(&self, adapter: &dyn Adapter) -> Vec<(Query, Answer)> {
        let name = adapter.tools()[0].names[0];
        let tool = Some(ToolFound { name: name.to_owned(), path: format!("/sbin/{name}"), version: None });
        let mut heard = Vec::new();
        let found = self.talk(adapter, Known { scope: Scope::Discover, tool, ..Known::default() }, &mut heard);
        assert!(!found.arrays.is_empty(), "{}: the discovery reads no array: {:?}", adapter.family(), found.notes);
        heard
    }

    /// A family that reads all in its discovery, answered by its fixture.
    fn survey_recorded(&self, adapter: &dyn Adapter) -> Vec<(Query, Answer)> {
        let found = |name: &str| ToolFound { name: name.to_owned(), path: format!("/usr/sbin/{name}"), version: None };
        let tool = adapter.tools().first().and_then(|t| t.names.first()).map(|name| found(name));
        let mut heard = Vec::new();
        let found = self.talk(adapter, Known { scope: Scope::Discover, tool, ..Known::default() }, &mut heard);
        assert!(!found.bears_no_health(), "{}: the discovery reads nothing: {:?}", adapter.family(), found.notes);
        heard
    }

    /// The disks storcli lists behind the first card.
    fn survey_follower(&self, adapter: &dyn Adapter) -> Vec<(Query, Answer)> {
        let storcli = registry::by_family("storcli").unwrap();
        let answers: Vec<Answer> = self.survey(storcli).into_iter().map(|(_, answer)| answer).collect();
        let listed = capture::read(&answers, &Known::default()).readings.remove(0);
        let name = adapter.tools()[0].names[0];
        let known = Known {
            scope: Scope::Controller("0".to_owned()),
            space: Some(listed.space),
            tool: Some(ToolFound { name: name.to_owned(), path: format!("/usr/sbin/{name}"), version: None }),
            scsi_hosts: vec![(0, "megaraid_sas".to_owned())],
            disks: poll::disks_listed(&listed),
            ..Known::default()
        };
        let mut heard = Vec::new();
        let read = self.talk(adapter, known, &mut heard);
        assert_eq!(read.disks.len(), listed.disks.len(), "{}: {:?}", adapter.family(), read.notes);
        heard
    }

    pub fn survey(&self, adapter: &dyn Adapter) -> Vec<(Query, Answer)> {
        let name = speaks(adapter).or_else(|| adapter.tools().first()?.names.first().copied());
        let found = |name: &str| ToolFound { name: name.to_owned(), path: format!("/usr/sbin/{name}"), version: None };
        let tool = name.map(found);
        let scsi_hosts = vec![(0, adapter.drivers()[0].to_owned())];
        let known = Known { tool, scsi_hosts, ..Known::default() };
        let mut heard = Vec::new();
        let found = self.talk(adapter, Known { scope: Scope::Discover, ..known.clone() }, &mut heard);
        let first = found.controllers.first().unwrap_or_else(|| panic!("{}: no controller found", adapter.family()));
        let number = first.at.root().as_str().trim_start_matches('c').to_owned();
        let survey = self.talk(adapter, Known { scope: Scope::Controller(number), ..known }, &mut heard);
        assert!(!survey.arrays.is_empty(), "{}: the survey reads no array: {:?}", adapter.family(), survey.notes);
        heard
    }

    fn talk(&self, adapter: &dyn Adapter, known: Known, heard: &mut Vec<(Query, Answer)>) -> Reading {
        let mut conversation = Conversation::new(adapter, known);
        loop {
            match conversation.advance() {
                Step::Done(reading) => return *reading,
                Step::Ask { queries: new, .. } => {
                    for query in new {
                        let answer = self.answer(&query.asked);
                        conversation.hear(&query, answer.clone());
                        heard.push((query, answer));
                    }
                }
            }
        }
    }

    fn answer(&self, asked: &Asked) -> Answer {
        if let Some(recorded) = &self.recorded {
            let told = recorded.iter().find(|a| a.asked == *asked).cloned();
            let outcome = Outcome { absent: true, ..Outcome::default() };
            return told.unwrap_or_else(|| Answer { outcome, ..Answer::not_captured(asked.clone()) });
        }
        let path = self.root.path().join(asked.path().trim_start_matches('/'));
        let said = match asked {
            Asked::Cmd(argv) => {
                let said = tools::answer(&argv[0], &argv[1..], &mut self.sim.world().unwrap(), &mut Vec::new());
                Some((said.stdout.into_bytes(), said.exit))
            }
            Asked::Dir(_) => names(&path).map(|n| (n.into_bytes(), 0)),
            _ => fs::read(&path).ok().map(|bytes| (bytes, 0)),
        };
        let absent = said.is_none();
        let (stdout, exit) = said.unwrap_or_default();
        Answer {
            asked: asked.clone(),
            stdout,
            stderr: Vec::new(),
            outcome: Outcome { exit, absent, ..Outcome::default() },
        }
    }
}

fn names(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|e| e.file_name().to_string_lossy().into_owned() + "\n");
    Some(names.collect::<BTreeSet<_>>().into_iter().collect())
}
