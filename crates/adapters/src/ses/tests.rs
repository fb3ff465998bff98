use super::*;
use crate::testkit;
use raidmond_core::model::PartState;
use raidmond_core::survey::{Outcome, ToolFound};

#[test]
fn fixtures() {
    testkit::check_cases(&Ses);
}

#[test]
fn robust() {
    testkit::check_robustness(&Ses);
}

fn known(hosts: &[(u32, &str)], tool: bool) -> Known {
    let tool = tool.then(|| ToolFound { name: "sg_ses".into(), path: "/usr/bin/sg_ses".into(), version: None });
    let scsi_hosts = hosts.iter().map(|(n, d)| (*n, (*d).to_owned())).collect();
    Known { scope: Scope::Discover, tool, scsi_hosts, ..Known::default() }
}

/// All that is asked of a machine with these enclosures, each with one slot and sg5.
fn asked(known: &Known, enclosures: &str) -> Vec<String> {
    let mut heard = Heard::default();
    let mut all = Vec::new();
    loop {
        let Step::Ask { queries, .. } = Ses.step(known, &heard) else { return all };
        for query in queries {
            let text = match query.kind {
                LIST => enclosures,
                SLOTS => "components\nSlot 01\nuevent\n",
                NODE => "sg5\n",
                _ => "",
            };
            all.push(query.asked.to_string());
            let answer =
                Answer { stdout: text.into(), outcome: Outcome::default(), ..Answer::not_captured(query.asked) };
            heard.push(query.kind, answer);
        }
    }
}

#[test]
fn one_question_for_each_enclosure_where_the_tool_is_there_else_one_for_each_slot() {
    let with = asked(&known(&[(0, "mpt3sas")], true), "0:0:9:0\n");
    assert!(with.contains(&"sg_ses --page=2 /dev/sg5".to_owned()), "{with:?}");
    assert!(!with.iter().any(|w| w.ends_with("/status")), "{with:?}");
    let without = asked(&known(&[(0, "mpt3sas")], false), "0:0:9:0\n");
    assert!(without.contains(&format!("{FOLDER}/0:0:9:0/Slot 01/status")), "{without:?}");
    assert!(without.iter().all(|w| !w.starts_with("sg_ses") && !w.contains("uevent")), "{without:?}");
}

#[test]
fn enclosures_behind_raid_controllers_are_left_to_their_families() {
    let asked = asked(&known(&[(0, "megaraid_sas"), (3, "mpt3sas")], true), "0:0:9:0\n3:0:9:0\n");
    assert!(
        asked.iter().any(|w| w.contains("3:0:9:0"))
            && !asked.iter().any(|w| w.contains("0:0:9:0/device/model") && !w.contains("3:0"))
    );
}

fn state(element: &str) -> PartState {
    let page =
        format!("Enclosure Status diagnostic page:\n  INVOP=0, INFO=0, NON-CRIT=0, CRIT=0, UNRECOV=0\n{element}\n");
    testkit::read_command(&Ses, "sg_ses -p 2 /dev/sg1", &page).enclosures[0].parts[0].state.state
}

#[test]
fn flags_beside_a_good_status_count_and_an_empty_place_has_none() {
    let element = |kind: &str, status: &str, flags: &str| {
        state(&format!(
            "    Element type: {kind}, subenclosure id: 0\n      Element 1 descriptor:\n        Predicted failure=0, Swap=0, status: {status}\n        {flags}"
        ))
    };
    assert_eq!(element("Cooling", "OK", "Fail=0, Off=0"), PartState::Ok);
    assert_eq!(element("Cooling", "OK", "Fail=1, Off=1"), PartState::Failed);
    assert_eq!(element("Power supply", "OK", "Off=0, AC fail=1"), PartState::Failed);
    assert_eq!(element("Power supply", "Not installed", "Off=1, AC fail=1"), PartState::NotInstalled);
    assert_eq!(element("Power supply", "Unknown", "Off=0"), PartState::Warning);
    assert_eq!(element("Array device slot", "Unknown", "Off=0"), PartState::NotInstalled);
    assert_eq!(element("Array device slot", "Unsupported", "Fault sensed=1"), PartState::Failed);
    assert_eq!(element("SAS expander", "Splendid", ""), PartState::Unknown);
}

#[test]
fn the_sum_of_the_enclosure_counts_where_no_part_explains_it_and_joined_pages_are_read() {
    let page = "Enclosure Status diagnostic page:\n  INVOP=0, INFO=0, NON-CRIT=0, CRIT=1, UNRECOV=0\n    Element type: Cooling, subenclosure id: 0\n      Element 0 descriptor:\n        Predicted failure=0, status: OK\n";
    let parts = testkit::read_command(&Ses, "sg_ses -p 2 /dev/sg1", page).enclosures.remove(0).parts;
    assert_eq!((parts.len(), parts[1].state.state, parts[1].state.said.as_str()), (2, PartState::Failed, "CRIT"));
    let joined = "Fan left [2,-1]  Element type: Cooling\n  Enclosure Status:\n    status: Unsupported\nFan left [2,0]  Element type: Cooling\n  Enclosure Status:\n    Predicted failure=0, Disabled=0, Swap=0, status: Critical\n    Actual speed=0 rpm\n";
    let parts = testkit::read_command(&Ses, "sg_ses --join /dev/sg1", joined).enclosures.remove(0).parts;
    assert_eq!((parts.len(), parts[0].name.as_str(), parts[0].state.state), (1, "Fan left", PartState::Failed));
}

#[test]
fn what_changes_an_enclosure_is_not_a_question() {
    let kind = |words: &str| Ses.recognise(&Asked::Cmd(words.split(' ').map(str::to_owned).collect()), b"");
    for words in
        ["sg_ses --index=3 --set=ident /dev/sg3", "sg_ses --clear=fault /dev/sg3", "sg_ses -c -p 2 -d 1 /dev/sg3"]
    {
        assert_eq!(kind(words), Some(MUTATION), "{words}");
    }
    assert_eq!((kind("sg_ses --page=es /dev/sg3"), kind("sg_ses /dev/sg3")), (Some(STATUS), Some(ASIDE)));
}
