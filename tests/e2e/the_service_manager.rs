//! What systemd is told, as systemd hears it.

use crate::harness::{Plan, Stage, seconds, wait};
use std::os::unix::net::UnixDatagram;

#[test]
fn the_service_manager_hears_ready_status_watchdog_and_stopping() {
    let mut stage = Stage::set(Plan::default());
    let path = stage.dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_nonblocking(true).unwrap();
    stage.start_with(&[("NOTIFY_SOCKET", &path)]);
    let mut heard = String::new();
    let mut hears = |words: &str| {
        wait(words, seconds(40), || {
            let mut buffer = [0; 4096];
            while let Ok(length) = socket.recv(&mut buffer) {
                heard.push_str(&String::from_utf8_lossy(&buffer[..length]));
                heard.push('\n');
            }
            heard.contains(words).then_some(())
        });
        heard.clone()
    };
    let begun = hears("READY=1");
    assert!(begun.contains("WATCHDOG=1") || hears("WATCHDOG=1").contains("WATCHDOG=1"));
    hears("STATUS=ok: nothing wrong");
    stage.happens("disk c0 32:5 fails");
    hears("STATUS=critical: ");
    stage.stop();
    assert!(hears("STOPPING=1").trim_end().ends_with("STOPPING=1"));
}
