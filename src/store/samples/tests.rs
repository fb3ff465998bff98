use super::*;

const FINE: Duration = Duration::from_secs(600);

fn keep(bytes: u64) -> Keep {
    let days = |n: u64| Duration::from_secs(n * 86_400);
    Keep { fine: days(7), hourly: days(90), daily: days(1800), bytes }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn of(object: u64, metric: &str) -> Of {
    Of { object, metric: metric.to_owned(), name: format!("c0/32:{object}"), serial: format!("Z{object}") }
}

fn degrees(object: u64, when: i64, value: f64) -> Batch {
    let point = Point { at: at(when), low: value, high: value, last: value };
    Batch { instance: "a".to_owned(), points: vec![(of(object, "temperature"), point)], states: Vec::new() }
}

fn only(samples: &Samples, what: &str) -> Known {
    let found = samples.find(what).unwrap();
    assert_eq!(found.len(), 1, "{what}: {found:?}");
    found[0].clone()
}

#[test]
fn a_coarse_point_holds_the_lowest_the_highest_and_the_last() {
    let dir = tempfile::tempdir().unwrap();
    let samples = Samples::open(dir.path(), 1 << 22).unwrap();
    for (when, value) in [(0, 30.0), (600, 41.0), (1200, 28.0), (3600, 35.0)] {
        samples.add(&degrees(5, when, value), FINE, &keep(1 << 22), at(when)).unwrap();
    }
    let disk = only(&samples, "32:5");
    let hours = samples.tracks(&disk, Tier::Hour, at(-4000)).unwrap();
    let seen: Vec<_> = hours[0].points.iter().map(|p| (p.low, p.high, p.last)).collect();
    assert_eq!(seen, [(28.0, 41.0, 28.0), (35.0, 35.0, 35.0)]);
    assert_eq!(samples.tracks(&disk, Tier::Fine, at(-4000)).unwrap()[0].points.len(), 4);
    assert_eq!(samples.tracks(&disk, Tier::Day, at(-90_000)).unwrap()[0].points.len(), 1);
}

#[test]
fn an_object_is_found_by_path_place_serial_and_number() {
    let dir = tempfile::tempdir().unwrap();
    let samples = Samples::open(dir.path(), 1 << 22).unwrap();
    samples.add(&degrees(5, 0, 30.0), FINE, &keep(1 << 22), at(0)).unwrap();
    samples.add(&degrees(15, 0, 30.0), FINE, &keep(1 << 22), at(0)).unwrap();
    for what in ["c0/32:5", "32:5", "z5", "5"] {
        assert_eq!(only(&samples, what).object, 5, "{what}");
    }
    assert!(samples.find("2:5").unwrap().is_empty());
}

#[test]
fn each_tier_is_forgotten_at_its_age() {
    let dir = tempfile::tempdir().unwrap();
    let samples = Samples::open(dir.path(), 1 << 22).unwrap();
    let day = 86_400;
    for when in [0, 30 * day, 100 * day] {
        samples.add(&degrees(5, when, 30.0), FINE, &keep(1 << 22), at(when)).unwrap();
    }
    samples.prune(&keep(1 << 22), at(101 * day)).unwrap();
    let disk = only(&samples, "32:5");
    let count = |tier| samples.tracks(&disk, tier, at(-2 * day)).unwrap()[0].points.len();
    assert_eq!([Tier::Fine, Tier::Hour, Tier::Day].map(count), [1, 2, 3]);
}

#[test]
fn the_file_never_grows_beyond_its_limit_and_keeps_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let limit = 256 * 1024;
    for round in 0..400 {
        let samples = Samples::open(dir.path(), limit).unwrap();
        let points = (0..100).flat_map(|disk| degrees(disk, round * 600, 30.0).points).collect();
        let batch = Batch { instance: "a".to_owned(), points, states: Vec::new() };
        samples.add(&batch, FINE, &keep(limit), at(round * 600)).unwrap();
    }
    let bytes = std::fs::metadata(dir.path().join(SAMPLES)).unwrap().len();
    assert!(bytes <= limit, "{bytes} of {limit} bytes");
    let samples = Samples::open_read_only(dir.path()).unwrap();
    let disk = only(&samples, "c0/32:7");
    assert_eq!(samples.tracks(&disk, Tier::Fine, at(399 * 600)).unwrap()[0].points.len(), 1);
    assert!(samples.tracks(&disk, Tier::Day, at(-90_000)).unwrap()[0].points.len() >= 3);
}

#[test]
fn a_young_history_is_shown_as_fine_as_it_was_taken() {
    let dir = tempfile::tempdir().unwrap();
    let samples = Samples::open(dir.path(), 1 << 22).unwrap();
    for when in [0, 600, 1200] {
        samples.add(&degrees(5, when, 30.0), FINE, &keep(1 << 22), at(when)).unwrap();
    }
    let points = |days: i64| {
        let span = SignedDuration::from_hours(24 * days);
        let doc = crate::history::look(dir.path(), "32:5", span, at(1800)).unwrap();
        doc.tracks[0].points.len()
    };
    assert_eq!((points(1), points(400)), (3, 3));
    samples.prune(&Keep { fine: Duration::from_secs(60), ..keep(1 << 22) }, at(1800)).unwrap();
    assert_eq!(points(400), 1, "where the fine points are gone, the coarse ones are shown");
}

#[test]
fn a_state_is_kept_as_what_it_turned_into() {
    let dir = tempfile::tempdir().unwrap();
    let samples = Samples::open(dir.path(), 1 << 22).unwrap();
    let turned = |when, said: &str| (of(5, "state"), at(when), said.to_owned());
    let states = vec![turned(0, "online"), turned(50, "failed"), turned(90, "rebuilding")];
    let batch = Batch { instance: "a".to_owned(), points: Vec::new(), states };
    samples.add(&batch, FINE, &keep(1 << 22), at(90)).unwrap();
    let disk = only(&samples, "32:5");
    let said: Vec<_> = samples.turned(&disk, at(60)).unwrap().into_iter().map(|t| t.said).collect();
    assert_eq!(said, ["failed", "rebuilding"], "what held before is there, too");
    assert_eq!(samples.latest("a").unwrap(), [((5, "state".to_owned()), "rebuilding".to_owned())]);
    assert!(samples.latest("b").unwrap().is_empty());
}

#[test]
fn a_file_that_is_no_database_is_put_aside() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(SAMPLES), "nothing of the kind ".repeat(500)).unwrap();
    let samples = Samples::open(dir.path(), 1 << 22).unwrap();
    samples.add(&degrees(5, 0, 30.0), FINE, &keep(1 << 22), at(0)).unwrap();
    assert!(dir.path().join("history.db.set-aside").exists());
}
