//! A card drops off the bus. That is critical, and stays so until somebody says that it is meant.

use crate::harness::{Plan, Stage, seconds, wait};

#[test]
fn a_controller_vanishes_until_that_is_accepted() {
    let mut stage = Stage::play(Plan { controllers: &["c0", "c1"], ..Plan::default() });
    stage.happens("controller c1 vanishes");
    stage.look_again();
    let gone = stage.mailbox.wait("the missing controller", seconds(30), |l| l.severity() == "critical");
    assert!(gone.says("c1"), "{}\n{}", gone.subject(), gone.text());
    assert_eq!((stage.status_code(), stage.ask(&["nagios"]).code), (2, 2));

    let said = stage.ask(&["accept"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("not expected any more"), "{said:?}");
    wait("all to be well", seconds(40), || (stage.status_code() == 0).then_some(()));
    let same = |event: &'static str| {
        let incident = gone.incident();
        move |l: &crate::harness::Letter| l.incident() == incident && l.event() == event
    };
    stage.mailbox.wait("the end of it", seconds(10), same("resolved"));
    assert_eq!(stage.mailbox.find(same("opened")).len(), 1, "{:?}", stage.mailbox.subjects());
    assert!(stage.open_incidents().is_empty(), "{:?}", stage.open_incidents());
}
