//! The runner with real processes: small scripts in a temporary root.

#![allow(clippy::unwrap_used)]

use raidmond::run::{BreakerState, Limits, Runner};
use raidmond_core::survey::{Answer, AnswerKind, Deadline, Query};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KIND: AnswerKind = AnswerKind("test");

struct Bench {
    root: tempfile::TempDir,
    runner: Runner,
}

impl Bench {
    /// Long deadline 0.3 s, normal 60 s: only what is meant to hang may.
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("usr/sbin")).unwrap();
        let runner = Self::runner(&root);
        Self { root, runner }
    }

    fn runner(root: &tempfile::TempDir) -> Runner {
        let limits = Limits {
            quick: Duration::from_secs(60),
            normal: Duration::from_secs(60),
            long: Duration::from_millis(300),
            grace: Duration::from_millis(300),
            output: 100_000,
        };
        Runner::new(root.path(), vec!["/opt/vendor".into()], root.path().join("run/raidmond")).with_limits(limits)
    }

    /// Written by another process: a descriptor open for writing here could leak into a child of another
    /// test and make the script "text file busy".
    fn script(&self, path: &str, body: &str) -> &Self {
        let path = self.root.path().join(path);
        let mut writer = Command::new("sh");
        writer.args(["-c", "mkdir -p \"$(dirname \"$1\")\" && cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path);
        let mut writer = writer.stdin(Stdio::piped()).spawn().unwrap();
        writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{body}\n").as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        self
    }

    fn tool(body: &str) -> Self {
        let bench = Self::new();
        bench.script("usr/sbin/tool", body);
        bench
    }

    async fn ask(&self, words: &[&str]) -> Answer {
        self.runner.ask(&Query::cmd(KIND, words), "tool/c0").await
    }

    async fn ask_hanging(&self) -> Answer {
        self.runner.ask(&Query::cmd(KIND, &["tool"]).deadline(Deadline::Long), "tool/c0").await
    }
}

fn gone(pid: &str) -> bool {
    // A zombie that init has not reaped yet is gone as well.
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

fn wait_until(what: &str, met: impl Fn() -> bool) {
    let begun = Instant::now();
    while !met() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn a_tool_is_found_and_answers() {
    let bench = Bench::tool("printf '<%s>' \"$@\"; echo oops >&2; exit 46");
    let answer = bench.ask(&["tool", "/c0", "show all", "$HOME;`x`"]).await;
    assert_eq!((answer.text().as_str(), answer.stderr_text().as_str()), ("</c0><show all><$HOME;`x`>", "oops\n"));
    assert_eq!((answer.outcome.exit, answer.outcome.ended()), (46, true));
    assert!(answer.outcome.took_seconds.is_some_and(|took| took > 0.0 && took < 60.0));
}

#[tokio::test]
async fn configured_directories_come_first_and_paths_are_under_the_root() {
    let bench = Bench::tool("echo usual");
    bench.script("opt/vendor/tool", "echo vendor");
    assert_eq!(bench.ask(&["tool"]).await.text(), "vendor\n");
    assert_eq!(bench.ask(&["/usr/sbin/tool"]).await.text(), "usual\n");
    assert!(bench.ask(&["/bin/sh", "-c", "echo outside"]).await.outcome.absent);
    assert_eq!(bench.runner.find_tool("tool"), Some(bench.root.path().join("opt/vendor/tool")));
}

#[tokio::test]
async fn surroundings_are_clean() {
    let body = "tr '\\0' '\\n' </proc/$$/environ | sort; ls -A | wc -l; cat | wc -c; ls -l /proc/$$/fd | grep -c 'run/raidmond'; \
                touch storcli.log; ls -A";
    let text = Bench::tool(body).ask(&["tool"]).await.text();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    // Of our descriptors it has only the lock, as standard input.
    assert_eq!(lines, ["LC_ALL=C", path, "TERM=dumb", "TZ=UTC", "0", "0", "1", "storcli.log"]);
}

#[tokio::test]
async fn working_directories_do_not_pile_up() {
    let bench = Bench::tool("pwd; touch left-behind");
    let first = bench.ask(&["tool"]).await.text();
    let second = bench.ask(&["tool"]).await.text();
    assert_ne!(first, second);
    assert_eq!(fs::read_dir(bench.root.path().join("run/raidmond/work")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_hanging_tool_is_stopped_with_its_children() {
    let bench = Bench::tool("sleep 600 & echo $!; echo $$; wait");
    let answer = bench.ask_hanging().await;
    assert!(answer.outcome.timed_out && answer.outcome.signal.is_none());
    let text = answer.text();
    assert_eq!(text.lines().count(), 2, "what it said before is kept");
    wait_until("children live on", || text.lines().all(gone));
}

#[tokio::test]
async fn a_tool_that_ignores_term_is_killed() {
    let bench = Bench::tool("trap '' TERM; echo $$; while :; do sleep 1; done");
    let answer = bench.ask_hanging().await;
    assert!(answer.outcome.timed_out);
    wait_until("it lives on", || gone(&answer.text()));
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipe_does_not_hold_us() {
    let bench = Bench::tool("sleep 600 & echo $!");
    let begun = Instant::now();
    let answer = bench.ask(&["tool"]).await;
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(answer.outcome.ended() && !answer.text().is_empty());
    Command::new("kill").arg(answer.text().trim()).status().unwrap();
}

#[tokio::test]
async fn a_flood_is_cut_and_stopped() {
    let bench = Bench::tool("echo $$ >&2; exec yes");
    let answer = bench.ask(&["tool"]).await;
    assert!(answer.outcome.truncated && !answer.outcome.timed_out);
    assert_eq!(answer.stdout.len(), 100_000);
    wait_until("it lives on", || gone(&answer.stderr_text()));
}

#[tokio::test]
async fn output_at_the_limit_is_whole() {
    let bench = Bench::tool("head -c 100000 /dev/zero");
    let answer = bench.ask(&["tool"]).await;
    assert_eq!((answer.stdout.len(), answer.outcome.truncated), (100_000, false));
}

#[tokio::test]
async fn death_by_signal_has_a_name() {
    let answer = Bench::tool("kill -SEGV $$").ask(&["tool"]).await;
    assert_eq!(answer.outcome.words(), "killed by SIGSEGV");
}

#[tokio::test]
async fn absent_denied_and_broken_are_told_apart() {
    let bench = Bench::tool("exit 0");
    assert!(bench.ask(&["nothing"]).await.outcome.absent);
    assert!(bench.ask(&[""]).await.outcome.absent);
    fs::write(bench.root.path().join("usr/sbin/plain"), "text").unwrap();
    assert!(bench.ask(&["plain"]).await.outcome.denied);
    let interpreter = "sed -i 1s,.*,#!/no/such/shell, \"$0\"";
    bench.script("usr/sbin/broken", interpreter);
    Command::new("sh").arg(bench.root.path().join("usr/sbin/broken")).status().unwrap();
    let answer = bench.ask(&["broken"]).await;
    assert_eq!((answer.outcome.exit, answer.outcome.absent), (127, false));
}

#[tokio::test]
async fn the_lock_lives_with_the_child_through_a_restart() {
    let bench = Bench::tool("echo once >>\"${0%/*}/runs\"; exec 3<&0; sleep 600 <&3 & echo $!");
    let child = bench.ask(&["tool"]).await.text();
    let after_restart = Bench::runner(&bench.root);
    for runner in [&bench.runner, &after_restart] {
        let answer = runner.ask(&Query::cmd(KIND, &["tool"]), "tool/c0").await;
        assert!(answer.outcome.timed_out);
        assert!(answer.stderr_text().starts_with("still running since 2"), "{}", answer.stderr_text());
    }
    let other = after_restart.ask(&Query::cmd(KIND, &["tool"]), "tool/c1").await;
    assert!(other.outcome.ended(), "another controller is not blinded");
    for pid in [&child, &other.text()] {
        Command::new("kill").arg(pid.trim()).status().unwrap();
    }
    wait_until("child lives on", || gone(&child));
    let again = after_restart.ask(&Query::cmd(KIND, &["tool"]), "tool/c0").await;
    assert!(again.outcome.ended(), "{}", again.stderr_text());
    Command::new("kill").arg(again.text().trim()).status().unwrap();
    assert_eq!(fs::read_to_string(bench.root.path().join("usr/sbin/runs")).unwrap().lines().count(), 3);
}

#[tokio::test]
async fn two_asks_at_once_run_one_child() {
    let bench = Bench::tool("echo once >>\"${0%/*}/runs\"; sleep 3");
    let (one, two) = tokio::join!(bench.ask(&["tool"]), bench.ask(&["tool"]));
    let refused = [&one, &two].iter().filter(|answer| answer.outcome.timed_out).count();
    assert_eq!(refused, 1);
    assert_eq!(fs::read_to_string(bench.root.path().join("usr/sbin/runs")).unwrap(), "once\n");
}

#[tokio::test]
async fn after_three_failures_a_tool_is_left_alone_but_not_its_neighbour() {
    let bench = Bench::tool("echo once >>\"${0%/*}/runs\"; kill -ILL $$");
    for failures in 0..3 {
        assert_eq!(bench.runner.breaker("tool/c0"), BreakerState::Closed { failures });
        assert_eq!(bench.ask(&["tool"]).await.outcome.signal.as_deref(), Some("SIGILL"));
    }
    let answer = bench.ask(&["tool"]).await;
    assert!(answer.outcome.timed_out && answer.stderr_text().starts_with("not asked: 3 failures in a row"));
    assert!(matches!(bench.runner.breaker("tool/c0"), BreakerState::Open { failures: 3, .. }));
    assert_eq!(bench.runner.breaker("tool/c1"), BreakerState::Closed { failures: 0 });
    let argv = ["tool".to_owned()];
    let (acted, _) = bench.runner.act(&argv, "tool/c0", Deadline::Normal).await;
    assert_eq!(acted.outcome.signal.as_deref(), Some("SIGILL"));
    assert_eq!(fs::read_to_string(bench.root.path().join("usr/sbin/runs")).unwrap().lines().count(), 4);
}

#[tokio::test]
async fn an_exit_code_is_no_failure() {
    let bench = Bench::tool("exit 1");
    for _ in 0..5 {
        assert_eq!(bench.ask(&["tool"]).await.outcome.exit, 1);
    }
}

#[tokio::test]
async fn files_and_directories() {
    let bench = Bench::new();
    fs::create_dir_all(bench.root.path().join("proc")).unwrap();
    fs::write(bench.root.path().join("proc/mdstat"), "md0 : active\n").unwrap();
    fs::write(bench.root.path().join("proc/big"), vec![b'x'; 100_001]).unwrap();
    let file = |path: &str| Query::file(KIND, path);
    let ask = async |query: Query| bench.runner.ask(&query, "files").await;
    assert_eq!(ask(file("/proc/mdstat")).await.text(), "md0 : active\n");
    assert_eq!(ask(Query::dir(KIND, "/proc")).await.text(), "big\nmdstat\n");
    let big = ask(file("/proc/big")).await;
    assert_eq!((big.stdout.len(), big.outcome.truncated), (100_000, true));
    assert!(ask(file("/proc/none")).await.outcome.absent);
    assert!(ask(Query::dir(KIND, "/none")).await.outcome.absent);
    assert_eq!(ask(file("/proc")).await.outcome.exit, 1);
}
