//! A real Chromium without a window, driven through its debugging pipe. Only where it is installed.

use super::{seconds, wait};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct Browser {
    child: Child,
    to: File,
    from: File,
    heard: Vec<u8>,
    session: String,
    number: u64,
    _dir: tempfile::TempDir,
}

/// The first of these programs that is installed.
pub fn installed(names: &[&str]) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let there = |name: &&&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    names.iter().find(there).map(|name| (*name).to_owned())
}

impl Browser {
    /// `None`, loudly, where there is no Chromium.
    pub fn open(url: &str) -> Option<Self> {
        let Some(program) = installed(&["chromium", "chromium-browser", "google-chrome"]) else {
            println!("SKIPPED: no chromium is installed (Debian: apt install chromium)");
            return None;
        };
        let dir = tempfile::tempdir().unwrap();
        for pipe in ["in", "out"] {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, dir.path().join(pipe), mode).unwrap();
        }
        let flags = "--headless --no-sandbox --disable-gpu --remote-debugging-pipe --user-data-dir=profile about:blank";
        let child = Command::new("sh")
            .args(["-c", &format!("exec {program} {flags} 3<in 4>out")])
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = File::options().write(true).open(dir.path().join("in")).unwrap();
        let from = File::open(dir.path().join("out")).unwrap();
        let (heard, session, number) = (Vec::new(), String::new(), 0);
        let mut browser = Self { child, to, from, heard, session, number, _dir: dir };
        let target = browser.ask("Target.createTarget", json!({ "url": url }))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        wait("the page to be drawn", seconds(60), || {
            (browser.tell("document.readyState === 'complete' && location.href !== 'about:blank'") == true)
                .then_some(())
        });
        Some(browser)
    }

    /// One command of the protocol; events in between are passed over.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.next();
            if answer["id"] == json!(self.number) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn next(&mut self) -> Value {
        loop {
            if let Some(end) = self.heard.iter().position(|b| *b == 0) {
                let message: Vec<u8> = self.heard.drain(..=end).collect();
                return serde_json::from_slice(&message[..end]).unwrap();
            }
            let mut bytes = [0; 65_536];
            let count = self.from.read(&mut bytes).unwrap();
            assert!(count > 0, "the browser has gone");
            self.heard.extend_from_slice(&bytes[..count]);
        }
    }

    /// What an expression on the page is.
    pub fn tell(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    pub fn size(&mut self, width: u32, height: u32) {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.ask("Emulation.setDeviceMetricsOverride", params);
    }

    /// A picture to look at, where RAIDMOND_PICTURES names a directory.
    pub fn picture(&mut self, name: &str) {
        let Some(dir) = std::env::var_os("RAIDMOND_PICTURES") else { return };
        let shot = self.ask("Page.captureScreenshot", json!({ "captureBeyondViewport": true }));
        let text = shot["data"].as_str().unwrap().to_owned();
        let decode = Command::new("base64").arg("-d").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut decode = decode.unwrap();
        let mut input = decode.stdin.take().unwrap();
        std::thread::spawn(move || input.write_all(text.as_bytes()));
        std::fs::write(Path::new(&dir).join(name), decode.wait_with_output().unwrap().stdout).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
