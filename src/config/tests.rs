//! What the machine has a say in: secrets, channels, who is told.

use super::channels::{channels, dead_man, mail_route};
use super::*;
use crate::notify::Channel;
use raidmond_core::diagnose::ConditionKind;
use raidmond_core::severity::Severity;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

fn file(dir: &TempDir, name: &str, mode: u32, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn parsed(text: &str) -> Config {
    Config::parse(text, Path::new("raidmond.toml")).unwrap_or_else(|e| panic!("{e}")).0
}

/// Warnings of a file with this mode; `DIR` in the text is its directory.
fn warned(dir: &TempDir, mode: u32, text: &str) -> Vec<String> {
    let path = file(dir, "raidmond.toml", mode, &text.replace("DIR", &dir.path().display().to_string()));
    let (_, warnings) = Config::load(&path).unwrap_or_else(|e| panic!("{e}"));
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn an_absent_and_an_empty_file_are_the_default() {
    let dir = tempfile::tempdir().unwrap();
    let empty = file(&dir, "raidmond.toml", 0o640, "");
    for path in [empty, dir.path().join("absent.toml")] {
        let (config, warnings) = Config::load(&path).unwrap();
        assert_eq!(Config { local_sendmail: None, ..config }, Config::default());
        assert_eq!(warnings, vec![]);
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let said = Config::load(dir.path()).unwrap_err();
    assert!(said.to_string().contains("cannot be read: is a directory") && said.len() == 1, "{said}");
    let path = dir.path().join("latin1.toml");
    std::fs::write(&path, b"# ok\nhost-name = \"d\xe4b\"\n").unwrap();
    let said = Config::load(&path).unwrap_err().to_string();
    assert!(said.contains("not UTF-8") && said.contains("latin1.toml:2:15"), "{said}");
}

#[test]
fn a_file_that_is_something_else_does_not_flood_the_terminal() {
    let text: String = (0..3000).map(|n| format!("k{n} = 1\n")).collect();
    let errors = Config::parse(&text, Path::new("raidmond.toml")).unwrap_err();
    let shown = errors.to_string();
    assert_eq!((errors.len(), shown.matches("error: ").count()), (3000, 50));
    assert!(shown.ends_with("\n\n… and 2950 more"), "{}", shown.lines().last().unwrap_or_default());
}

#[test]
fn secrets_are_looked_at_before_they_are_needed() {
    let dir = tempfile::tempdir().unwrap();
    file(&dir, "open", 0o644, "s3cret");
    file(&dir, "good", 0o600, "https://chat.example.com/s3cret");
    let text = "\
[mail]
to = \"ops@example.com\"
server = \"smtps://mx.example.com\"
username = \"u\"
password-file = \"DIR/absent\"
[[webhook]]
name = \"chat\"
url-file = \"DIR/good\"
secret-file = \"DIR/open\"
ca-file = \"DIR/ca.pem\"
";
    let said = warned(&dir, 0o640, text);
    assert_eq!(said.len(), 3, "{said:#?}");
    assert!(said[0].contains("absent cannot be read: ") && said[0].contains("5 | password-file"), "{}", said[0]);
    assert!(said[1].contains("chmod 600") && said[1].contains("9 | secret-file"), "{}", said[1]);
    assert!(said[2].contains("ca.pem cannot be read") && !said.concat().contains("os error"), "{}", said[2]);
    assert!(!said.concat().contains("s3cret"), "{said:?}");
}

#[test]
fn an_inline_secret_is_not_for_everybody() {
    let dir = tempfile::tempdir().unwrap();
    let text = "[[webhook]]\nname = \"chat\"\nurl = \"https://chat.example.com/s3cret\"\n";
    let said = warned(&dir, 0o644, text);
    assert!(said.len() == 1 && said[0].contains("everybody") && said[0].contains("3 | url"), "{said:?}");
    assert!(!said[0].contains("s3cret"), "{said:?}");
    assert_eq!(warned(&dir, 0o640, text), Vec::<String>::new());
    assert_eq!(warned(&dir, 0o644, "poll-interval = \"2m\""), Vec::<String>::new());
}

#[test]
fn root_is_told_where_nothing_is_said_and_mail_works() {
    let nothing = Config::default();
    assert!(nothing.nobody_told() && channels(&nothing).0.is_empty());
    let local = Config { local_sendmail: Some("/usr/lib/sendmail".into()), ..Config::default() };
    assert!(!local.nobody_told());
    let (made, specs, broken) = channels(&local);
    let [Channel::Sendmail(mail)] = made.as_slice() else { panic!("{made:?}") };
    assert_eq!((mail.name.as_str(), mail.program.as_str()), ("mail", "/usr/lib/sendmail"));
    assert_eq!(mail.envelope.to[0].email.to_string(), "root@localhost");
    assert_eq!((specs[0].name.as_str(), specs[0].min_severity, broken.len()), ("mail", Severity::Warning, 0));
}

#[test]
fn with_somebody_else_to_tell_root_is_left_alone() {
    let text =
        "[[exec]]\nname = \"page\"\ncommand = [\"/bin/true\", \"x\"]\nmin-severity = \"critical\"\ntimeout = \"5s\"";
    let config = Config { local_sendmail: Some("/usr/sbin/sendmail".into()), ..parsed(text) };
    let (made, specs, _) = channels(&config);
    let [Channel::Exec(exec)] = made.as_slice() else { panic!("{made:?}") };
    assert_eq!((exec.argv.join(" "), exec.deadline), ("/bin/true x".to_owned(), Duration::from_secs(5)));
    assert_eq!((specs[0].min_severity, mail_route(&config)), (Severity::Critical, None));
}

#[test]
fn mail_goes_the_way_that_was_said() {
    let to = "[mail]\nto = \"ops@example.com\"\n";
    let route = |line: &str, sendmail: Option<&str>| {
        mail_route(&Config { local_sendmail: sendmail.map(str::to_owned), ..parsed(&format!("{to}{line}")) }).unwrap()
    };
    assert_eq!(route("", None), "smtp://localhost:25");
    assert_eq!(route("", Some("/usr/sbin/sendmail")), "/usr/sbin/sendmail");
    assert_eq!(route("server = \"smtps://mx\"", Some("/usr/sbin/sendmail")), "smtps://mx");
    assert_eq!(route("server = \"sendmail:/opt/sendmail\"", None), "/opt/sendmail");
    assert_eq!(route("server = \"sendmail:\"", None), "/usr/sbin/sendmail");
}

#[test]
fn a_channel_without_its_secret_keeps_its_place() {
    let text = "\
[mail]
to = \"ops@example.com\"
server = \"smtps://mx.example.com\"
username = \"u\"
password-file = \"/nowhere/smtp\"
[[webhook]]
name = \"chat\"
url = \"https://chat.example.com/\"
[dead-man]
url-file = \"/nowhere/url\"
";
    let config = parsed(text);
    let (made, specs, broken) = channels(&config);
    assert_eq!(made.iter().map(Channel::name).collect::<Vec<_>>(), ["mail", "chat"]);
    assert_eq!(specs.len(), 2);
    assert!(matches!(made.as_slice(), [Channel::Broken(_), Channel::Webhook(_)]), "{made:?}");
    assert!(broken.len() == 1 && broken[0].why.contains("/nowhere/smtp cannot be read"), "{broken:?}");
    assert!(dead_man(&config).unwrap().unwrap_err().contains("/nowhere/url"));
}

#[test]
fn what_is_said_reaches_the_engine() {
    let text = "\
time-zone = \"UTC\"
[digest]
day = \"sunday\"
hour = 23
[severity]
array-reduced = \"critical\"
[limits]
reduced-long = \"1d\"
clock-drift = \"1m\"
blind-after = 5
disk-hot-celsius = 65
";
    let settings = parsed(text).settings("db3", Vec::new(), std::sync::Arc::new(|_, _| None));
    assert_eq!((settings.host_name.as_str(), settings.digest), ("db3", Some((7, 23))));
    assert_eq!(settings.policy.severity(ConditionKind::ArrayReduced), Severity::Critical);
    let expected = Policy {
        overrides: [(ConditionKind::ArrayReduced, Severity::Critical)].into(),
        reduced_long: jiff::SignedDuration::from_hours(24),
        clock_drift_seconds: 60,
        blind_after: 5,
        disk_hot_celsius: 65,
        ..Policy::default()
    };
    assert_eq!(settings.policy, expected);
    assert_eq!(parsed("[digest]\nenabled = false").digest, None);
}

#[test]
fn logs_get_their_kind_and_their_rules() {
    let text = "\
[[log]]
path = \"/var/log/megaserv.log\"
[[log]]
path = \"/srv/raid.log\"
kind = \"syslog\"
[[log.rule]]
name = \"box\"
regex = 'box (?P<dev>\\w+) lost'
sign = \"disk-missing\"
times = 3
within = \"10m\"
";
    use raidmond_core::observe::{LogKind, Rate, Scanner};
    let logs = parsed(text).logs;
    assert_eq!((logs[0].kind, logs[1].kind), (LogKind::Megaserv, LogKind::Syslog));
    let scanner = Scanner::new(logs[1].kind, &logs[1].rules).unwrap();
    let seen = scanner.scan(b"box sdb lost\n", &Default::default(), &mut Default::default()).observations;
    assert_eq!(scanner.rate(&seen[0]), Some(Rate { n: 3, within_seconds: 600 }));
}

#[test]
fn zones_are_known_or_cannot_be_known() {
    let said = Config::parse("time-zone = \"Mars/Olympus\"", Path::new("raidmond.toml"));
    match jiff::tz::db().is_definitively_empty() {
        true => assert!(said.unwrap().1[0].headline().contains("tzdata")),
        false => assert!(said.unwrap_err().to_string().contains("unknown time zone `Mars/Olympus`")),
    }
}

/// Every key that is asked for stands in the file that is shipped.
#[test]
fn the_shipped_file_knows_every_key() {
    let shipped = include_str!("../../config/raidmond.toml");
    let bare: String = shipped
        .lines()
        .map(|l| l.strip_prefix('#').filter(|l| !l.starts_with(' ')).unwrap_or(""))
        .fold(String::new(), |text, line| text + line + "\n");
    let (table, errors) = DeTable::parse_recoverable(&bare);
    assert!(errors.is_empty(), "{errors:?}");
    let sheet = Sheet::default();
    top(Section::new("", 0..0, table.get_ref(), &sheet), &mut Files::default());
    let known = sheet.known();
    assert!(known.len() > 60, "{}", known.len());
    for (section, key) in known {
        assert!(shipped.contains(key), "{section} {key} is not in config/raidmond.toml");
    }
}
