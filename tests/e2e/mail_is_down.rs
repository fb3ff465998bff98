//! The mail server is away: the alarm goes out by webhook at once and by mail when the server is back, as
//! the same message; and the webhook tells that mail does not get through.

use crate::harness::{Plan, Stage, seconds, wait};

#[test]
fn mail_comes_late_but_comes_and_the_webhook_tells_meanwhile() {
    let mut stage = Stage::play(Plan::default());
    stage.mailbox.shut();
    stage.happens("disk c0 32:5 fails");
    let chat = stage.hook.wait("the alarm by webhook", seconds(20), |p| p["severity"] == "critical");
    let id = chat["id"].as_str().unwrap().to_owned();
    wait("the failed attempt", seconds(20), || {
        waiting(&stage).filter(|(waiting, said)| *waiting > 0 && !said.is_empty())
    });

    twenty_minutes_pass(&mut stage);
    let told = |p: &serde_json::Value| p["kinds"].as_array().is_some_and(|k| k.contains(&"channel-failing".into()));
    let failing = stage.hook.wait("the failing channel", seconds(40), told);
    assert!(failing["headline"].as_str().unwrap().contains("mail"), "{failing}");
    assert!(stage.mailbox.letters().is_empty());

    stage.mailbox.serve();
    let late = stage.mailbox.wait("the alarm by mail", seconds(90), |l| l.severity() == "critical");
    assert_eq!(late.id(), format!("<{id}@db3>"), "the same message by both ways");
    assert!(late.says("Z1Z2ABCD"));
    assert_eq!(stage.mailbox.find(|l| l.id() == late.id()).len(), 1);
    stage.hook.wait("the channel to be well again", seconds(40), |p| {
        p["event"] == "resolved" && p["incident"]["id"] == failing["incident"]["id"]
    });
}

/// Messages that wait for mail, and what went wrong last.
fn waiting(stage: &Stage) -> Option<(u64, String)> {
    let status = stage.status_json()?;
    let mail = status["channels"].as_array()?.iter().find(|c| c["name"] == "mail")?.clone();
    Some((mail["waiting"].as_u64()?, mail["said"].as_str().unwrap_or("").to_owned()))
}

/// A server that says "later" for some minutes is no news; so the failing is made older, while the daemon
/// is away.
fn twenty_minutes_pass(stage: &mut Stage) {
    stage.stop();
    let db = rusqlite::Connection::open(stage.state_dir().join("raidmond.db")).unwrap();
    let of_mail = "FROM documents WHERE collection = 'channels' AND key = 'mail'";
    let json: String = db.query_row(&format!("SELECT json {of_mail}"), [], |row| row.get(0)).unwrap();
    let mut state: serde_json::Value = serde_json::from_str(&json).unwrap();
    let since: jiff::Timestamp = state["failing_since"].as_str().unwrap().parse().unwrap();
    state["failing_since"] = (since - jiff::SignedDuration::from_mins(20)).to_string().into();
    let sql = "UPDATE documents SET json = ?1 WHERE collection = 'channels' AND key = 'mail'";
    assert_eq!(db.execute(sql, [state.to_string()]).unwrap(), 1);
    drop(db);
    stage.start();
}
