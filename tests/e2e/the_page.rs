//! The status page in a real browser: a fault appears without a reload, names are text, everything can be
//! read by everybody, also on a phone and in the dark.

use crate::harness::{Browser, Plan, Stage, free_port, seconds, wait};
use std::io::{Read, Write};

/// As an admin may have typed it, or somebody who means harm.
const NAME: &str = "<i onclick=x>&'\"";

fn stage(port: u16) -> Stage {
    let config = format!("[http]\nlisten = \"127.0.0.1:{port}\"\n[history]\ninterval = \"1s\"\n");
    Stage::play(Plan { config, array_name: Some(NAME), ..Plan::default() })
}

/// Without a browser, as it is sent.
fn sent(port: u16, request: &str) -> String {
    let mut stream =
        wait("the page to be served", seconds(20), || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
    stream.write_all(format!("{request}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_page_is_whole_without_a_script_and_only_for_this_machine() {
    let port = free_port();
    let stage = stage(port);
    let page = sent(port, &format!("GET / HTTP/1.1\r\nHost: localhost:{port}"));
    for words in ["200 OK", "content-security-policy: default-src 'none'", "all well", "Z1Z2ABCD", "no-store"] {
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
    assert!(sent(port, "GET / HTTP/1.1\r\nHost: evil.example").contains("403 Forbidden"));
    let wish =
        "POST /v1/wish HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    assert!(sent(port, wish).contains("404 Not Found"), "nothing on TCP changes anything");
    let history =
        wait("a history", seconds(30), || Some(stage.ask(&["history", "32:5", "--json"])).filter(|s| s.code == 0));
    assert!(history.out.contains("\"temperature\"") && history.out.contains("Z1Z2ABCD"), "{}", history.out);
    let csv = stage.ask(&["history", "Z1Z2ABCD", "--csv"]).out;
    assert!(csv.starts_with("at,object,serial,metric,low,high,last\n") && csv.contains("temperature"), "{csv}");
    assert!(stage.ask(&["history", "no-such-disk"]).err.contains("nothing in the history goes by"));
}

#[test]
fn a_fault_appears_in_an_open_browser() {
    let port = free_port();
    let mut stage = stage(port);
    let Some(mut browser) = Browser::open(&format!("http://127.0.0.1:{port}/")) else { return };
    assert_eq!(browser.tell("document.querySelector('.verdict').textContent"), "OK");
    let named = format!("[...document.querySelectorAll('.arrays td')].some(c => c.textContent === {NAME:?})");
    assert_eq!(browser.tell(&named), true, "the name is shown as it is");
    assert_eq!(browser.tell("document.querySelectorAll('main i').length"), 0, "and it is no element");

    browser.tell("window.before = true; document.querySelector('.slot a').focus()");
    stage.happens("disk c0 32:5 fails");
    stage.look_again();
    wait("the fault on the page", seconds(40), || {
        (browser.tell("document.querySelectorAll('.slot.bad').length") == 1).then_some(())
    });
    assert_eq!(browser.tell("window.before"), true, "the page was not loaded again");
    assert_eq!(browser.tell("document.querySelector('.slot.bad .place').textContent"), "5");
    assert_eq!(browser.tell("document.activeElement.closest('.slot') !== null"), true, "the keyboard keeps its place");
    wait("the verdict", seconds(20), || {
        (browser.tell("document.querySelector('.verdict').textContent") == "CRITICAL").then_some(())
    });
    everybody_can_read_it(&mut browser);
    the_disk_has_its_page(&stage, &mut browser);
    stage.kill();
    wait("the page to say that it is old", seconds(30), || {
        (browser.tell("document.getElementById('silent').hidden") == false).then_some(())
    });
}

/// WCAG AA: 4.5 to 1 for text, in both schemes; nothing stands beyond the edge of a phone.
fn everybody_can_read_it(browser: &mut Browser) {
    for scheme in ["light", "dark"] {
        browser.scheme(scheme);
        for (device, width) in [("desk", 1200), ("phone", 375)] {
            browser.size(width, 900);
            browser.picture(&format!("page-{scheme}-{device}.png"));
            assert_eq!(browser.tell("document.documentElement.scrollWidth <= innerWidth"), true, "{scheme} {device}");
        }
        let weak = browser.tell(include_str!("contrast.js"));
        assert_eq!(weak, serde_json::json!([]), "{scheme}: hard to read");
    }
}

fn the_disk_has_its_page(stage: &Stage, browser: &mut Browser) {
    stage.happens("disk c0 32:5 temperature 47");
    let url = browser.tell("document.querySelector('.slot.bad a').href");
    wait("a curve on the disk's page", seconds(40), || {
        browser.ask("Page.navigate", serde_json::json!({ "url": url }));
        std::thread::sleep(seconds(1));
        (browser.tell("document.querySelectorAll('svg polyline').length > 0") == true).then_some(())
    });
    browser.picture("page-disk.png");
    assert_eq!(browser.tell("document.querySelector('h1').textContent.includes('c0/32:5')"), true);
}
