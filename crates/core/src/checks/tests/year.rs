//! A year of one machine: both changes of the clock, restarts, weeks without power, faults in the middle of a
//! check, and a firmware that begins to check by itself.

use super::*;

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// What must be true at every moment.
fn hold(m: &Machine) {
    let at_work: Vec<usize> =
        (0..m.cards.len()).filter(|n| m.cards[*n].check.as_ref().is_some_and(|c| !c.paused)).collect();
    assert!(at_work.len() <= m.engine.settings.checks.at_once, "{at_work:?} at {}", m.now);
    for (n, card) in m.cards.iter().enumerate() {
        let started_now = m.orders.iter().any(|(card, verb, at)| (*card, *verb, *at) == (n, Verb::Start, m.now));
        let external = card.schedule.as_ref().is_some_and(|s| s.active != Some(false));
        assert!(!started_now || (card.state == ArrayState::Optimal && !external), "card {n} at {}", m.now);
    }
}

fn live(m: &mut Machine, until: &str) {
    while m.now < at(until) {
        // On other days there is little to see.
        let sunday = m.now.to_zoned_datetime(berlin()).weekday() == jiff::civil::Weekday::Sunday;
        m.pass(if sunday { HOUR } else { HOUR * 12 });
        hold(m);
    }
}

#[test]
fn a_year() {
    let mut m = Machine::with(settings(weekly()), vec![card(Level::Raid5), card(Level::Raid6)], "2027-01-01T00:00");
    // Nine quiet weeks: each Sunday both, one after the other.
    live(&mut m, "2027-03-05T00:00");
    assert_eq!((m.endings(0), m.endings(1)), (vec![Ending::Completed; 9], vec![Ending::Completed; 9]));
    assert_eq!(m.told, Vec::<String>::new(), "quiet weeks are quiet");
    // A power cut in the middle: not completed, made up.
    live(&mut m, "2027-03-07T07:00");
    m.down(HOUR);
    live(&mut m, "2027-03-13T00:00");
    assert_eq!(m.starts(0) + m.starts(1), 18 + 3);
    assert_eq!(m.check(0).results.iter().filter(|r| r.how == Ending::Interrupted).count(), 1);
    // The clock is put forward at 02:00 on 28 March: 02:30 is 03:30 that day.
    live(&mut m, "2027-03-29T22:00");
    let that_day = |m: &Machine, day: &str| {
        let local = |t: &Timestamp| t.to_zoned_datetime(berlin()).strftime("%F %H:%M").to_string();
        let starts = m.orders.iter().filter(|(n, verb, _)| (*n, *verb) == (0, Verb::Start));
        starts.map(|(_, _, t)| local(t)).filter(|t| t.starts_with(day)).collect::<Vec<_>>()
    };
    assert_eq!(that_day(&m, "2027-03-28"), ["2027-03-28 04:00"], "seen at the next full hour");
    // Three weeks without power: one check of each, not three.
    let before = (m.starts(0), m.starts(1));
    m.down(DAY * 21);
    live(&mut m, "2027-04-23T00:00");
    assert_eq!((m.starts(0), m.starts(1)), (before.0 + 1, before.1 + 1));
    // A disk fails in the middle of a check: the controller gives it up, and it is made up once whole again.
    live(&mut m, "2027-05-02T06:00");
    let before = m.starts(0);
    m.cards[0].state = ArrayState::Degraded;
    m.cards[0].check = None;
    live(&mut m, "2027-05-12T00:00");
    assert_eq!((m.starts(0), m.check(0).last().unwrap().how), (before, Ending::Vanished));
    assert!(m.against(0).contains(&Reason::Degraded));
    m.cards[0].state = ArrayState::Optimal;
    live(&mut m, "2027-05-15T00:00");
    assert_eq!((m.starts(0), m.check(0).last().unwrap().how), (before + 1, Ending::Completed));
    // From July on the firmware of the second card checks by itself: raidmond leaves it alone, and says so.
    live(&mut m, "2027-07-01T00:00");
    let before = m.starts(1);
    let mut theirs = firmware(true);
    theirs.on = Path::from("c1");
    m.cards[1].schedule = Some(theirs);
    live(&mut m, "2027-10-29T00:00");
    assert_eq!(m.starts(1), before);
    assert!(m.has(K::CheckScheduleConflict) && m.has(K::CheckOverdue));
    // The clock is put back at 03:00 on 31 October: 02:30 comes twice, the check once.
    live(&mut m, "2027-11-01T12:00");
    assert_eq!(that_day(&m, "2027-10-31").len(), 1);
    m.cards[1].schedule = None;
    live(&mut m, "2028-01-01T00:00");
    assert!(!m.has(K::CheckScheduleConflict) && !m.has(K::CheckOverdue));
    assert!(m.starts(0) >= 49 && m.check(0).last().unwrap().how == Ending::Completed);
    assert_eq!(m.check(1).results.iter().rev().take(8).filter(|r| r.how == Ending::Completed).count(), 8);
}

#[test]
fn restarting_the_daemon_changes_no_check() {
    let play = |restarts: bool| {
        let rules = Rules { window: Some(HOUR * 6), ..weekly() };
        let mut m = Machine::with(settings(rules), vec![card(Level::Raid5), card(Level::Raid6)], "2027-01-01T00:00");
        while m.now < at("2027-01-05T00:00") {
            if restarts {
                let state = m.engine.state().clone();
                m.engine = Engine::new(m.engine.settings.clone(), state);
            }
            m.pass(HOUR);
        }
        m.orders
    };
    assert_eq!(play(true), play(false));
}
