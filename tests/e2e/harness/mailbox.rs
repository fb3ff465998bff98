//! A person's mailbox: the mail server and what it was given, with the moment of each.

use super::background::Background;
use super::{seconds, wait};
use raidmond::mailsink::{Mail, MailSink};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[derive(Clone)]
pub struct Letter {
    pub at: Instant,
    mail: Mail,
}

impl Letter {
    pub fn subject(&self) -> String {
        self.mail.subject()
    }

    pub fn text(&self) -> String {
        self.mail.text()
    }

    /// Of a header that is not folded; empty when it is not there.
    pub fn header(&self, name: &str) -> String {
        let head = self.mail.data.split("\r\n\r\n").next().unwrap_or("");
        let line = head.split("\r\n").find_map(|l| l.strip_prefix(&format!("{name}: ")));
        line.unwrap_or("").to_owned()
    }

    pub fn id(&self) -> String {
        self.header("Message-ID")
    }

    pub fn severity(&self) -> String {
        self.header("X-Raidmond-Severity")
    }

    pub fn event(&self) -> String {
        self.header("X-Raidmond-Event")
    }

    pub fn incident(&self) -> String {
        self.header("X-Raidmond-Incident")
    }

    pub fn says(&self, words: &str) -> bool {
        self.subject().contains(words) || self.text().contains(words)
    }
}

pub struct Mailbox {
    background: Background,
    address: SocketAddr,
    server: Mutex<Option<MailSink>>,
    letters: Arc<Mutex<Vec<Letter>>>,
}

impl Mailbox {
    pub fn open() -> Self {
        let background = Background::start();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut mailbox = Self { background, address, server: Mutex::default(), letters: Arc::default() };
        mailbox.serve();
        let server = mailbox.server.lock().unwrap();
        let address = server.as_ref().unwrap().address();
        drop(server);
        mailbox.address = address;
        mailbox
    }

    /// The port answers (again).
    pub fn serve(&self) {
        let sink = self.background.block_on(MailSink::start(self.address)).unwrap();
        let (mut mails, letters) = (sink.subscribe(), Arc::clone(&self.letters));
        self.background.spawn(async move {
            while let Some(mail) = mails.recv().await {
                letters.lock().unwrap().push(Letter { at: Instant::now(), mail });
            }
        });
        *self.server.lock().unwrap() = Some(sink);
    }

    /// The port is closed.
    pub fn shut(&self) {
        drop(self.server.lock().unwrap().take());
        let closed = || std::net::TcpStream::connect(self.address).is_err().then_some(());
        wait("the mail server to be gone", seconds(5), closed);
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn letters(&self) -> Vec<Letter> {
        self.letters.lock().unwrap().clone()
    }

    pub fn find(&self, wanted: impl Fn(&Letter) -> bool) -> Vec<Letter> {
        self.letters().into_iter().filter(wanted).collect()
    }

    /// The first letter of this kind, now or within this time.
    pub fn wait(&self, what: &str, within: Duration, wanted: impl Fn(&Letter) -> bool) -> Letter {
        wait(what, within, || self.letters().into_iter().find(&wanted))
    }

    pub fn subjects(&self) -> Vec<String> {
        self.letters().iter().map(Letter::subject).collect()
    }
}
