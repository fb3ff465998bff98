//! Runs a transcript, with its times, through the whole engine: what would have been told, when.

use jiff::{SignedDuration, Timestamp};
use raidmond_adapters::capture;
use raidmond_core::diagnose::Rates;
use raidmond_core::host::SourceKey;
use raidmond_core::incident::{Engine, Input, Settings, State};
use raidmond_core::notice::Notice;
use raidmond_core::observe::{Carry, Context, LogKind, Scanner};
use raidmond_core::survey::{Answer, Asked, Poll, Transcript};
use std::collections::BTreeMap;

/// A message that would go out.
#[derive(Debug, Clone)]
pub struct Told {
    pub after: SignedDuration,
    pub channel: String,
    pub notice: Notice,
}

/// How long after the last poll waiting messages are still shown.
const LINGER: SignedDuration = SignedDuration::from_secs(60);

/// Each host of the transcript gets an engine of its own.
pub fn replay(transcript: &Transcript, settings: &Settings, start: Timestamp) -> Vec<Told> {
    let mut hosts: BTreeMap<Option<String>, Vec<&Poll>> = BTreeMap::new();
    for poll in &transcript.polls {
        hosts.entry(poll.host.clone()).or_default().push(poll);
    }
    let mut told: Vec<Told> =
        hosts.into_iter().flat_map(|(host, polls)| one_host(host, &polls, settings, start)).collect();
    told.sort_by_key(|t| t.after);
    told
}

fn one_host(host: Option<String>, polls: &[&Poll], settings: &Settings, start: Timestamp) -> Vec<Told> {
    let settings = Settings { host_name: host.unwrap_or_else(|| settings.host_name.clone()), ..settings.clone() };
    let state = State { instance: "replay".to_owned(), ..State::default() };
    let mut run =
        Run { engine: Engine::new(settings, state), start, now: start, told: Vec::new(), carries: BTreeMap::new() };
    for poll in polls {
        run.wait_until(start + SignedDuration::try_from_secs_f64(poll.seconds).unwrap_or_default());
        run.poll(poll);
    }
    run.wait_until(run.now + LINGER);
    run.told
}

struct Run {
    engine: Engine,
    start: Timestamp,
    now: Timestamp,
    told: Vec<Told>,
    carries: BTreeMap<String, Carry>,
}

impl Run {
    fn wait_until(&mut self, then: Timestamp) {
        while let Some(due) = self.engine.next_wake().filter(|due| *due <= then) {
            // An instant that passed already is looked at once more and then left behind.
            self.now = due.max(self.now + SignedDuration::from_secs(1)).min(then);
            self.give(Input::Tick);
            if self.now >= then {
                break;
            }
        }
        self.now = self.now.max(then);
    }

    fn poll(&mut self, poll: &Poll) {
        let (logs, answers): (Vec<&Answer>, Vec<&Answer>) =
            poll.answers.iter().partition(|a| matches!(a.asked, Asked::Log(_)));
        let answers: Vec<Answer> = answers.into_iter().cloned().collect();
        for reading in capture::read(&answers, &poll.known.clone().unwrap_or_default()).readings {
            let key = SourceKey { family: reading.family.clone(), about: String::new() };
            self.give(Input::Reading { key, reading: Box::new(reading) });
        }
        // After the answers, so that lines find the objects they speak of.
        for log in logs {
            self.log(log);
        }
    }

    fn log(&mut self, log: &Answer) {
        let name = log.asked.path().to_owned();
        let Ok(scanner) = Scanner::new(LogKind::of_name(&name), &[]) else { return };
        let carry = self.carries.entry(name.clone()).or_default();
        let context = Context { latest: Some(self.now), ..Context::default() };
        let mut observations = scanner.scan(&log.stdout, &context, carry).observations;
        // In a replay a line is news at the time of its poll.
        observations.iter_mut().for_each(|o| o.at = None);
        self.give(Input::Observations { source: name, observations, rates: Rates::new(), cursor: None, past: false });
    }

    fn give(&mut self, input: Input) {
        let turn = self.engine.handle(self.now, input);
        let after = self.now.duration_since(self.start);
        let told = turn.changes.postings.iter();
        self.told.extend(told.map(|p| Told { after, channel: p.channel.clone(), notice: p.notice.clone() }));
        self.engine.adopt(turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::incident::ChannelSpec;
    use raidmond_core::notice::NoticeEvent;
    use raidmond_core::severity::Severity;

    const STORY: &str = "\
#@ host: db3
#@ cmd: MegaCli64 -PDList -aALL -NoLog
Adapter #0

Enclosure Device ID: 32
Slot Number: 4
Device Id: 4
Predictive Failure Count: 0
Firmware state: Online, Spun Up
Inquiry Data: SEAGATE ST4000NM0023    0004Z1Z2ABCD

Exit Code: 0x00
#@ poll: 1 t=60
#@ cmd: MegaCli64 -PDList -aALL -NoLog
Adapter #0

Enclosure Device ID: 32
Slot Number: 4
Device Id: 4
Predictive Failure Count: 2
Firmware state: Online, Spun Up
Inquiry Data: SEAGATE ST4000NM0023    0004Z1Z2ABCD

Exit Code: 0x00
";

    fn told(story: &str) -> Vec<Told> {
        let transcript = Transcript::parse(story.as_bytes()).expect("a transcript");
        let mail = ChannelSpec { name: "mail".into(), min_severity: Severity::Warning };
        let settings = Settings { channels: vec![mail], ..Settings::default() };
        replay(&transcript, &settings, Timestamp::UNIX_EPOCH)
    }

    /// md0 as given, beside another array on the same disks.
    fn mdstat(minute: u32, members: &str, counts: &str) -> String {
        let other = "md1 : active raid1 sdb2[1] sda2[0]\n      200 blocks [2/2] [UU]\n";
        let personalities = format!("#@ file: /proc/mdstat\nPersonalities : [raid1]\n{other}");
        format!(
            "#@ poll: {minute} t={}\n{personalities}\nmd0 : active raid1 {members}\n      200 blocks {counts}\n\nunused devices: <none>\n",
            minute * 60
        )
    }

    #[test]
    fn a_failed_and_replaced_member_of_an_md_array_is_one_incident() {
        let failure = "#@ log: kern.log\n[   10.000000] md/raid1:md0: Disk failure on sdb1, disabling device.\n";
        let story = [
            mdstat(1, "sdb1[1] sda1[0]", "[2/2] [UU]"),
            mdstat(2, "sdb1[1](F) sda1[0]", "[2/1] [U_]") + failure,
            mdstat(
                9,
                "sdc1[2] sda1[0]",
                "[2/1] [U_]\n      [>....]  recovery =  4.0% (8/200) finish=3.0min speed=1K/sec",
            ),
            mdstat(20, "sdc1[2] sda1[0]", "[2/2] [UU]"),
            mdstat(40, "sdc1[2] sda1[0]", "[2/2] [UU]"),
        ];
        let told = told(&story.concat());
        let events: Vec<NoticeEvent> = told.iter().map(|t| t.notice.event).collect();
        assert_eq!(events, [NoticeEvent::Opened, NoticeEvent::Updated, NoticeEvent::Resolved], "{told:#?}");
        let incidents = told.iter().filter_map(|t| t.notice.thread.as_ref()).map(|t| t.incident);
        assert_eq!(incidents.collect::<Vec<_>>(), [1, 1, 1]);
        assert_eq!(told[0].notice.severity, Severity::Critical);
        assert!(told[0].notice.headline.contains("RAID 1 md0 degraded, disk sdb1 failed"), "{told:#?}");
    }

    #[test]
    fn a_story_is_told_with_its_times() {
        let told = told(STORY);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert_eq!((told[0].after.as_secs(), told[0].notice.event), (75, NoticeEvent::Opened));
        assert!(told[0].notice.headline.contains("32:4"), "{}", told[0].notice.headline);
        assert_eq!(told[0].notice.host, "db3");
    }
}
