//! A person at the command line.

use super::{RAIDMOND, Stage};
use serde_json::Value;
use std::process::Command;

#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn of(mut command: Command) -> Self {
        let output = command.env("COLUMNS", "200").output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    pub fn first_line(&self) -> &str {
        self.out.lines().next().unwrap_or("")
    }
}

impl Stage {
    /// `raidmond WORDS` against this stage's daemon.
    pub fn ask(&self, words: &[&str]) -> Said {
        let mut command = Command::new(RAIDMOND);
        command.args(words);
        self.answer(command)
    }

    /// The same, typed by the user nobody.
    pub fn ask_as_nobody(&self, words: &[&str]) -> Said {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", RAIDMOND]).args(words);
        self.answer(command)
    }

    fn answer(&self, mut command: Command) -> Said {
        command.arg("--socket").arg(self.socket());
        command.arg("--state-dir").arg(self.state_dir());
        Said::of(command)
    }

    pub fn status_code(&self) -> i32 {
        self.ask(&["status"]).code
    }

    pub fn status_json(&self) -> Option<Value> {
        serde_json::from_str(&self.ask(&["status", "--json"]).out).ok()
    }

    /// Open incidents: number and headline.
    pub fn open_incidents(&self) -> Vec<(u64, String)> {
        let said = self.ask(&["incidents", "--json"]);
        let list: Vec<Value> = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
        list.iter().map(|i| (i["id"].as_u64().unwrap(), i["headline"].as_str().unwrap().to_owned())).collect()
    }

    /// The number of the open incident whose headline has these words.
    pub fn incident_about(&self, words: &str) -> Option<u64> {
        self.open_incidents().into_iter().find(|(_, headline)| headline.contains(words)).map(|(id, _)| id)
    }
}
