//! The verbs around the configuration, as real processes: check, setup, notify test.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use raidmond::mailsink::MailSink;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

struct Ended {
    code: i32,
    out: String,
    err: String,
}

fn raidmond(args: &[&str]) -> Ended {
    let command = Command::new(env!("CARGO_BIN_EXE_raidmond")).args(args).stdin(Stdio::null()).output().unwrap();
    Ended {
        code: command.status.code().unwrap(),
        out: String::from_utf8(command.stdout).unwrap(),
        err: String::from_utf8(command.stderr).unwrap(),
    }
}

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn write(dir: &TempDir, text: &str) -> String {
    let path = dir.path().join("raidmond.toml");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn check_shows_every_mistake_and_says_so_by_its_exit() {
    let dir = dir();
    let path = write(&dir, "host-nam = \"db3\"\n[digest]\nhour = 25\n");
    let ended = raidmond(&["config", "check", &path]);
    assert_eq!(ended.code, 65, "{}", ended.err);
    assert!(ended.out.starts_with("error: unknown key `host-nam`\n"), "{}", ended.out);
    assert!(ended.out.contains(":3:8\n") && ended.out.ends_with("raidmond.toml: 2 mistakes\n"), "{}", ended.out);
}

#[test]
fn check_of_a_good_file() {
    let dir = dir();
    let path = write(&dir, "[[exec]]\nname = \"page\"\ncommand = \"/bin/true\"\n[checks]\n");
    let ended = raidmond(&["config", "check", &path]);
    assert_eq!(
        (ended.code, ended.out.lines().last().unwrap()),
        (0, format!("{path}: no mistakes, 1 warning").as_str())
    );
    assert_eq!(raidmond(&["config", "check", "/nowhere/raidmond.toml"]).code, 65);
}

#[test]
fn each_channel_answers_for_itself() {
    let dir = dir();
    let text = "[[exec]]\nname = \"good\"\ncommand = [\"/bin/sh\", \"-c\", \"cat > /dev/null; echo noted\"]\n\
                [[exec]]\nname = \"bad\"\ncommand = \"/bin/false\"\n";
    let path = write(&dir, text);
    let all = raidmond(&["notify", "test", "--config", &path]);
    assert_eq!(all.code, 1);
    let lines: Vec<&str> = all.out.lines().collect();
    assert_eq!(lines[0], "good         accepted: exit 0 noted");
    assert!(lines[1].starts_with("bad          FAILED (would be tried again): exit status: 1"), "{}", lines[1]);
    assert_eq!(raidmond(&["notify", "test", "good", "--config", &path]).code, 0);
    let unknown = raidmond(&["notify", "test", "chat", "--config", &path]);
    assert_eq!(unknown.code, 64);
    assert!(unknown.err.contains("no channel `chat`") && unknown.err.contains("good, bad"), "{}", unknown.err);
}

#[test]
fn a_test_does_not_go_out_with_a_broken_configuration() {
    let dir = dir();
    let ended = raidmond(&["notify", "test", "--config", &write(&dir, "[mail]\nto = 3\n")]);
    assert_eq!(ended.code, 65);
    assert!(ended.err.contains("`to` is a number") && ended.err.contains("has 1 mistake"), "{}", ended.err);
}

fn setup(root: &Path, more: &[&str]) -> Ended {
    raidmond(&[&["setup", "--root", root.to_str().unwrap()], more].concat())
}

/// Beside a mail server that runs in the test's own thread.
async fn setup_beside(root: &Path, more: &[&str]) -> Ended {
    let (root, more): (_, Vec<String>) = (root.to_owned(), more.iter().map(|a| (*a).to_owned()).collect());
    let run = move || setup(&root, &more.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[test]
fn setup_without_a_word_tells_root_by_the_local_sendmail() {
    let dir = dir();
    let bin = dir.path().join("usr/sbin");
    std::fs::create_dir_all(&bin).unwrap();
    let mail = dir.path().join("mail");
    std::fs::write(bin.join("sendmail"), format!("#!/bin/sh\ncat > {}\n", mail.display())).unwrap();
    std::fs::set_permissions(bin.join("sendmail"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let done = setup(dir.path(), &["--yes"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("/usr/sbin/sendmail, accepted: sendmail: exit status: 0"), "{}", done.out);
    let mail = std::fs::read_to_string(mail).unwrap();
    assert!(mail.contains("To: root@localhost\n") && mail.contains("TEST"), "{mail}");
}

#[tokio::test]
async fn setup_writes_tests_and_keeps_what_is_there() {
    let sink = MailSink::start("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (dir, server) = (dir(), format!("smtp://{}", sink.address()));
    let done =
        setup_beside(dir.path(), &["--mail", "ops@example.com", "--mail", "b@example.com", "--server", &server]).await;
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let mail = format!("mail    test sent through {}, accepted: 250 ", sink.address());
    assert!(done.out.contains(&mail), "{}", done.out);
    assert_eq!(sink.mails().remove(0).to, ["ops@example.com", "b@example.com"]);
    assert!(sink.mails().remove(0).data.contains("[raidmond "), "{:?}", sink.mails());

    let path = dir.path().join("etc/raidmond/raidmond.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\n[mail]\n") && text.contains("\nto = [\"ops@example.com\", \"b@example.com\"]\n"),
        "{text}"
    );
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "drafts are left behind");

    let again = setup_beside(dir.path(), &["--mail", "other@example.com", "--server", &server]).await;
    assert!(again.code == 1 && again.err.contains("exists") && again.err.contains("--force"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let forced = setup_beside(dir.path(), &["--mail", "other@example.com", "--server", &server, "--force"]).await;
    assert_eq!(forced.code, 0, "{}", forced.err);
    let kept = path.with_extension("toml.old-1");
    assert!(forced.out.contains(&format!("the old one is kept as {}", kept.display())), "{}", forced.out);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), text);
    setup_beside(dir.path(), &["--mail", "third@example.com", "--server", &server, "--force"]).await;
    assert!(std::fs::read_to_string(path.with_extension("toml.old-2")).unwrap().contains("other@example.com"));
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), text, "the first one stays");
    let path = {
        std::fs::rename(path.with_extension("toml.old-2"), &path).unwrap();
        path
    };
    assert!(std::fs::read_to_string(&path).unwrap().contains("to = [\"other@example.com\"]"));
}

#[tokio::test]
async fn setup_replaces_the_file_as_shipped() {
    let sink = MailSink::start("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (dir, server) = (dir(), format!("smtp://{}", sink.address()));
    std::fs::create_dir_all(dir.path().join("etc/raidmond")).unwrap();
    let path = dir.path().join("etc/raidmond/raidmond.toml");
    std::fs::write(&path, include_str!("../config/raidmond.toml")).unwrap();
    let done = setup_beside(dir.path(), &["--mail", "ops@example.com", "--server", &server]).await;
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(std::fs::read_to_string(&path).unwrap().contains("\nto = [\"ops@example.com\"]"));
}

#[test]
fn setup_says_when_the_test_mail_fails() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("smtp://{}", listener.local_addr().unwrap());
    drop(listener);
    let dir = dir();
    let done = setup(dir.path(), &["--mail", "ops@example.com", "--server", &server]);
    assert_eq!(done.code, 1);
    assert!(!done.out.contains("os error"), "{}", done.out);
    assert!(
        done.out.contains("mail    TEST FAILED through 127.0.0.1:") && done.out.contains("notify test"),
        "{}",
        done.out
    );
}

#[test]
fn setup_refuses_what_it_cannot_do() {
    let dir = dir();
    for (args, said) in [
        (vec!["--mail", "ops@example.com", "--checks", "Sat 01:00"], "not built yet"),
        (vec!["--yes"], "nobody would be told"),
        (vec![], "nobody would be told"),
        (vec!["--mail", "ops@", "--yes"], "`ops@` is no mail address"),
        (vec!["--mail", "ops", "--yes"], "`ops` is no mail address"),
        (vec!["--mail", "ops@example.com", "--server", "mx.example.com"], "smtp://HOST"),
    ] {
        let ended = setup(dir.path(), &args);
        assert!(ended.code == 64 && ended.err.contains(said), "{args:?}: {} {}", ended.code, ended.err);
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "something was written");
}

#[test]
fn what_silences_an_alarm_is_said_before_it_matters() {
    let dir = dir();
    let path = write(
        &dir,
        "[severity]\narray-degraded = \"ok\"\n[mail]\nto = [\"ops@localhost\"]\nmin-severity = \"emergency\"\n",
    );
    let ended = raidmond(&["config", "check", &path]);
    assert_eq!(ended.code, 0);
    let said = [
        "warning: `array-degraded` is set to `ok`: nobody will be told of it",
        "warning: every channel waits for emergencies: nobody hears of a degraded array (critical)",
    ];
    for words in said {
        assert!(ended.out.contains(words), "{}", ended.out);
    }
    let doctor =
        raidmond(&["doctor", "--config", &path, "--socket", "/nowhere", "--root", dir.path().to_str().unwrap()]);
    assert!(said.iter().all(|w| doctor.out.contains(w.trim_start_matches("warning: "))), "{}", doctor.out);
    let fine = write(
        &dir,
        "[severity]\nbattery-weak = \"ok\"\n[mail]\nto = [\"ops@localhost\"]\nmin-severity = \"critical\"\n",
    );
    assert!(raidmond(&["config", "check", &fine]).out.ends_with("no mistakes\n"));
}

#[test]
fn a_command_that_is_not_there_is_said() {
    let dir = dir();
    let path = write(&dir, "[[exec]]\nname = \"page\"\ncommand = \"/usr/local/bin/no-such-pager\"\n");
    let ended = raidmond(&["config", "check", &path]);
    assert!(ended.out.contains("/usr/local/bin/no-such-pager cannot be run: no such file"), "{}", ended.out);
}

#[test]
fn a_configuration_named_and_not_there_is_no_empty_one() {
    let dir = dir();
    let gone = dir.path().join("nope.toml").display().to_string();
    let state = dir.path().display().to_string();
    for verb in [
        vec!["run", "--config", &gone, "--state-dir", &state],
        vec!["doctor", "--config", &gone],
        vec!["notify", "test", "--config", &gone],
    ] {
        let ended = raidmond(&verb);
        assert!(ended.code == 65 && ended.err.contains("nope.toml does not exist"), "{verb:?}: {}", ended.err);
        assert!(ended.err.contains("--config"), "{}", ended.err);
    }
}

#[test]
fn a_group_that_names_nothing_is_said() {
    let dir = dir();
    let rule = |group: &str| {
        let rule = format!("name = \"box\"\nregex = 'box (?P<{group}>\\w+) lost'\nsign = \"disk-missing\"\n");
        write(&dir, &format!("[[log]]\npath = \"/var/log/x.log\"\n[[log.rule]]\n{rule}"))
    };
    let ended = raidmond(&["config", "check", &rule("disk")]);
    assert!(ended.out.contains("warning: unknown named group `disk`"), "{}", ended.out);
    assert!(!raidmond(&["config", "check", &rule("dev")]).out.contains("named group"));
}
