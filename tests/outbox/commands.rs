//! Commands: the operator's own, and sendmail.

use crate::support::*;
use raidmond::notify::{Channel, Exec, Sendmail};
use raidmond_core::notice::NoticeEvent;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

fn script(dir: &Path, text: &str) -> String {
    let path = dir.join("command");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn exec(argv: &[&str]) -> Exec {
    Exec { deadline: Duration::from_secs(5), ..Exec::new("pager", argv.iter().map(|a| (*a).to_owned()).collect()) }
}

#[tokio::test]
async fn a_command_gets_the_facts_and_the_text() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let program = script(dir.path(), r#"env > "$1"; cat >> "$1"; echo paged"#);
    let bench = Bench::new(Channel::Exec(exec(&[&program, out.to_str().unwrap()])));
    let mut evil = alarm("17-0");
    evil.headline = "$(touch /tmp/no)\n`id`\0".into();
    bench.post(&[evil]).await;
    assert_eq!(receipt(&bench.send().await), "exit 0 paged");
    let out = std::fs::read_to_string(out).unwrap();
    for line in [
        "RAIDMOND_ID=17-0",
        "RAIDMOND_EVENT=opened",
        "RAIDMOND_SEVERITY=critical",
        "RAIDMOND_INCIDENT=17",
        "RAIDMOND_OBJECT=c0/v0",
        "RAIDMOND_HEADLINE=$(touch /tmp/no) `id`",
        "WHAT HAPPENED",
    ] {
        assert!(out.lines().any(|l| l == line), "{line} is missing in\n{out}");
    }
    assert!(!out.contains("CARGO"), "the daemon's environment is its own:\n{out}");
}

#[tokio::test]
async fn a_command_that_fails_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let program = script(dir.path(), "echo no modem >&2; exit 3");
    let error = exec(&[&program]).send(&alarm("17-0")).await.unwrap_err();
    assert!(error.retryable && error.said.contains("exit status: 3") && error.said.contains("no modem"), "{error}");
    let error = exec(&["/nonexistent/pager"]).send(&alarm("17-0")).await.unwrap_err();
    assert!(!error.retryable && error.said.contains("does not start"), "{error}");
}

#[tokio::test]
async fn a_command_that_hangs_is_killed_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let pid_file = dir.path().join("pid");
    let program = script(dir.path(), r#"sleep 60 & echo $! > "$1"; wait"#);
    let hanging = Exec { deadline: Duration::from_millis(500), ..exec(&[&program, pid_file.to_str().unwrap()]) };
    let began = Instant::now();
    let error = hanging.send(&alarm("17-0")).await.unwrap_err();
    assert!(error.retryable && began.elapsed() < Duration::from_secs(3), "{error}");
    let pid = std::fs::read_to_string(pid_file).unwrap().trim().to_owned();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "the grandchild lives: {state}");
}

#[tokio::test]
async fn endless_output_and_background_children_do_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let program = script(dir.path(), "sleep 20 & yes | head -c 3000000");
    let began = Instant::now();
    let receipt = exec(&[&program]).send(&alarm("17-0")).await.unwrap();
    assert!(receipt.said.starts_with("exit 0") && receipt.said.len() < 1000);
    assert!(began.elapsed() < Duration::from_secs(4), "waited for the background process");
}

#[tokio::test]
async fn sendmail_gets_the_mail_and_its_status_is_believed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let program = script(dir.path(), &format!("echo \"$@\" > {0}; cat >> {0}", out.display()));
    let channel = Sendmail { program, ..Sendmail::new("mail", envelope(&["ops@example.com"])) };
    let notice = notice("17-4", 17, NoticeEvent::Resolved, raidmond_core::severity::Severity::Critical);
    assert_eq!(channel.send(&notice).await.unwrap().said, "sendmail: exit status: 0");
    let out = std::fs::read_to_string(out).unwrap();
    assert!(out.starts_with("-i -t -f bounces@example.com\n"), "{out}");
    assert!(out.contains("\nTo: ops@example.com\n") && out.contains("\nMessage-ID: <17-4@db3>\n"), "{out}");
    assert!(!out.contains('\r'));
    for (status, retryable) in [(75, true), (71, true), (67, false), (78, false)] {
        let program = script(dir.path(), &format!("exit {status}"));
        let error = Sendmail { program, ..channel.clone() }.send(&notice).await.unwrap_err();
        assert_eq!(error.retryable, retryable, "exit status {status}");
    }
}
