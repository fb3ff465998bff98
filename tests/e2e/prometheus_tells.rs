//! Real Prometheus and Alertmanager on the rules as shipped: a fault fires, Alertmanager notifies, the end
//! of the fault resolves. Only where the Debian packages are installed.

use crate::harness::{Background, Plan, Stage, free_port, installed, seconds, wait};
use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

const TOKEN: &str = "scrape-me-if-you-can";

fn contrib(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/prometheus").join(file)
}

fn promtool() -> Option<String> {
    let found = installed(&["promtool"]);
    if found.is_none() {
        println!("SKIPPED: no promtool is installed (Debian: apt install prometheus)");
    }
    found
}

#[test]
fn the_rules_do_what_their_tests_say() {
    let Some(promtool) = promtool() else { return };
    let run = |words: [&str; 3]| {
        let said = Command::new(&promtool).args(words).current_dir(contrib("")).output().unwrap();
        assert!(
            said.status.success(),
            "{}{}",
            String::from_utf8_lossy(&said.stdout),
            String::from_utf8_lossy(&said.stderr)
        );
    };
    run(["check", "rules", "raidmond.rules.yml"]);
    run(["test", "rules", "raidmond.rules.test.yml"]);
}

/// A process that ends with the test.
struct Server(Child, PathBuf);

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(&self.1).unwrap_or_default();
            eprintln!("--- {}:\n{log}", self.1.display());
        }
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn server(program: &str, dir: &Path, args: &[String]) -> Server {
    let path = dir.join(format!("{program}.log"));
    let log = std::fs::File::create(&path).unwrap();
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Server(command.spawn().unwrap(), path)
}

/// What Alertmanager posts: (state, name, labels).
struct Receiver {
    _background: Background,
    port: u16,
    alerts: Arc<Mutex<Vec<Value>>>,
}

impl Receiver {
    fn open() -> Self {
        let background = Background::start();
        let listener = background.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let (port, alerts) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<Value>>>::default());
        let keep = Arc::clone(&alerts);
        let take = move |body: Bytes| async move {
            let post: Value = serde_json::from_slice(&body).unwrap();
            keep.lock().unwrap().extend(post["alerts"].as_array().unwrap().iter().cloned());
        };
        let router = Router::new().route("/", post(take));
        background.spawn(async move { axum::serve(listener, router).await });
        Self { _background: background, port, alerts }
    }

    fn wait(&self, status: &str, name: &str) -> Value {
        wait(&format!("{name} {status}"), seconds(90), || {
            let alerts = self.alerts.lock().unwrap();
            alerts.iter().find(|a| a["status"] == status && a["labels"]["alertname"] == name).cloned()
        })
    }
}

fn alertmanager(program: &str, dir: &Path, port: u16, receiver: u16) -> Server {
    let config = format!(
        "route: {{receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}}\n\
         receivers: [{{name: hook, webhook_configs: [{{url: 'http://127.0.0.1:{receiver}/', send_resolved: true}}]}}]\n"
    );
    std::fs::write(dir.join("alertmanager.yml"), config).unwrap();
    let listen = format!("--web.listen-address=127.0.0.1:{port}");
    let args = ["--config.file=alertmanager.yml", "--storage.path=alerts", "--cluster.listen-address=", &listen];
    server(program, dir, &args.map(str::to_owned))
}

fn prometheus(dir: &Path, raidmond: u16, alertmanager: u16) -> Server {
    let rules = contrib("raidmond.rules.yml");
    let config = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{}']\n\
         alerting: {{alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{alertmanager}']}}]}}]}}\n\
         scrape_configs: [{{job_name: raidmond, authorization: {{credentials: '{TOKEN}'}}, \
         static_configs: [{{targets: ['127.0.0.1:{raidmond}']}}]}}]\n",
        rules.display()
    );
    std::fs::write(dir.join("prometheus.yml"), config).unwrap();
    let listen = format!("--web.listen-address=127.0.0.1:{}", free_port());
    let args = ["--config.file=prometheus.yml", "--storage.tsdb.path=series", &listen];
    server("prometheus", dir, &args.map(str::to_owned))
}

#[test]
fn a_fault_fires_notifies_and_resolves() {
    let found = (installed(&["prometheus"]), installed(&["prometheus-alertmanager", "alertmanager"]));
    let (Some(_), Some(manager)) = found else {
        println!("SKIPPED: no Prometheus and Alertmanager (Debian: apt install prometheus prometheus-alertmanager)");
        return;
    };
    let (port, manager_port, dir) = (free_port(), free_port(), tempfile::tempdir().unwrap());
    let config = format!("[http]\nlisten = \"127.0.0.1:{port}\"\ntoken = \"{TOKEN}\"\n");
    let mut stage = Stage::play(Plan { config, ..Plan::default() });
    let receiver = Receiver::open();
    let _manager = alertmanager(&manager, dir.path(), manager_port, receiver.port);
    let _prometheus = prometheus(dir.path(), port, manager_port);

    stage.happens("disk c0 32:5 fails");
    stage.look_again();
    let fired = receiver.wait("firing", "RaidmondNoRedundancy");
    assert_eq!(fired["labels"]["vd"], "c0/v0", "{fired}");
    assert_eq!(fired["labels"]["severity"], "critical", "{fired}");
    let alarms = receiver.alerts.lock().unwrap().len();
    println!("prometheus: {alarms} alerts were notified");

    stage.happens("rebuild c0 speed 1%/s");
    stage.pass(121.0);
    stage.look_again();
    receiver.wait("resolved", "RaidmondNoRedundancy");
}

#[test]
fn a_textfile_never_keeps_the_numbers_of_a_daemon_that_is_gone() {
    let mut stage = Stage::play(Plan::default());
    let file = stage.dir.path().join("raidmond.prom");
    let write = |stage: &Stage| stage.ask(&["metrics", "--textfile", file.to_str().unwrap()]);
    assert_eq!(write(&stage).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("raidmond_up 1\n") && text.contains("raidmond_virtual_drive_state"), "{text}");
    stage.kill();
    assert_ne!(write(&stage).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("raidmond_up 0\n") && !text.contains("virtual_drive"), "{text}");
    assert_eq!(stage.ask(&["metrics", "--textfile", "/tmp/raidmond.txt"]).code, 64);
}
