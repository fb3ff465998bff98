//! A small mail server that keeps what it gets: for tests and for the demo.
//!
//! It speaks enough SMTP for a sending client, accepts any login, and can be told to misbehave
//! ([`Fault`]). It never relays, never writes to disk, and offers TLS only to refuse it.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A message as it was accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// Name the client gave in EHLO.
    pub hello: String,
    /// Mechanism of the login, if there was one.
    pub login: Option<String>,
    pub from: String,
    pub to: Vec<String>,
    /// Headers and body, dot-stuffing removed, lines ended by CR LF.
    pub data: String,
}

impl Mail {
    /// The subject, unfolded and decoded as far as plain ASCII goes.
    pub fn subject(&self) -> String {
        let lines = self.data.split("\r\n").skip_while(|l| !l.to_ascii_lowercase().starts_with("subject:"));
        let mut subject = String::new();
        for (n, line) in lines.enumerate() {
            match (n, line.strip_prefix([' ', '\t'])) {
                (0, _) => subject.push_str(line.get(8..).unwrap_or("").trim_start()),
                (_, Some(more)) => {
                    subject.push(' ');
                    subject.push_str(more);
                }
                _ => break,
            }
        }
        subject
    }

    /// The plain text part, decoded.
    pub fn text(&self) -> String {
        let plain =
            self.data.split("\r\n--").find(|part| part.to_ascii_lowercase().contains("content-type: text/plain"));
        let Some((head, body)) = plain.and_then(|part| part.split_once("\r\n\r\n")) else { return self.data.clone() };
        let head = head.to_ascii_lowercase();
        let bytes = match () {
            () if head.contains("quoted-printable") => quoted_printable(body),
            () if head.contains("base64") => base64(body),
            () => body.as_bytes().to_vec(),
        };
        String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
    }
}

fn quoted_printable(body: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = body.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = |b: &u8| (*b as char).to_digit(16);
        match (byte, tail) {
            (b'=', [b'\r', b'\n', after @ ..]) => rest = after,
            (b'=', [high, low, after @ ..]) if hex(high).is_some() && hex(low).is_some() => {
                out.push((hex(high).unwrap_or(0) * 16 + hex(low).unwrap_or(0)) as u8);
                rest = after;
            }
            _ => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    out
}

fn base64(body: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut out, mut bits, mut have) = (Vec::new(), 0_u32, 0);
    for six in body.bytes().filter_map(value) {
        bits = (bits << 6) | u32::from(six);
        have += 6;
        if have >= 8 {
            have -= 8;
            out.push((bits >> have) as u8);
        }
    }
    out
}

/// What goes wrong in one mail transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This reply to MAIL FROM.
    Sender(&'static str),
    /// This reply to RCPT TO.
    Recipient(&'static str),
    /// This reply after the message.
    Message(&'static str),
    /// The connection breaks after the message, before any reply.
    Drop,
    /// No reply ever again.
    Hang,
}

#[derive(Default)]
struct Shared {
    mails: Vec<Mail>,
    faults: VecDeque<Fault>,
    /// Recipients that are refused, with the reply.
    refused: Vec<(String, &'static str)>,
    listeners: Vec<mpsc::UnboundedSender<Mail>>,
    starttls: bool,
    login: bool,
}

pub struct MailSink {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    server: JoinHandle<()>,
}

impl MailSink {
    /// `127.0.0.1:0` picks a free port.
    pub async fn start(address: SocketAddr) -> std::io::Result<MailSink> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Mutex::new(Shared::default()));
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(MailSink { address, shared, server })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn mails(&self) -> Vec<Mail> {
        lock(&self.shared).mails.clone()
    }

    /// Every mail accepted from now on.
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<Mail> {
        let (sender, receiver) = mpsc::unbounded_channel();
        lock(&self.shared).listeners.push(sender);
        receiver
    }

    /// One fault for each of the next transactions.
    pub fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        lock(&self.shared).faults.extend(faults);
    }

    pub fn refuse_recipient(&self, address: &str, reply: &'static str) {
        lock(&self.shared).refused.push((address.to_owned(), reply));
    }

    /// Announces STARTTLS; whoever asks for it is told that it is not available.
    pub fn announce_starttls(&self) {
        lock(&self.shared).starttls = true;
    }

    pub fn announce_login(&self) {
        lock(&self.shared).login = true;
    }
}

impl Drop for MailSink {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, shared: Arc<Mutex<Shared>>) {
    let mut sessions = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        sessions.spawn(Session::new(stream, Arc::clone(&shared)).run());
        while sessions.try_join_next().is_some() {}
    }
}

struct Session {
    input: BufReader<OwnedReadHalf>,
    out: OwnedWriteHalf,
    shared: Arc<Mutex<Shared>>,
    mail: Mail,
    fault: Option<Fault>,
}

/// Whether the conversation goes on.
type Going = std::io::Result<bool>;

impl Session {
    fn new(stream: TcpStream, shared: Arc<Mutex<Shared>>) -> Self {
        let (read, out) = stream.into_split();
        Session { input: BufReader::new(read), out, shared, mail: Mail::default(), fault: None }
    }

    async fn run(mut self) {
        // A client that goes away in the middle is its own business.
        drop(self.talk().await);
    }

    async fn talk(&mut self) -> std::io::Result<()> {
        self.say("220 sink ESMTP").await?;
        while let Some(line) = self.line().await? {
            if !self.command(&line).await? {
                break;
            }
        }
        Ok(())
    }

    /// A whole line without its end; a part of one is none.
    async fn line(&mut self) -> std::io::Result<Option<String>> {
        let mut line = String::new();
        self.input.read_line(&mut line).await?;
        Ok(line.strip_suffix("\r\n").map(str::to_owned))
    }

    async fn command(&mut self, line: &str) -> Going {
        let verb = line.split([' ', ':']).next().unwrap_or("").to_ascii_uppercase();
        match verb.as_str() {
            "EHLO" | "HELO" => self.hello(line).await,
            "STARTTLS" => self.say("454 4.7.0 TLS not available").await,
            "AUTH" => self.login(line).await,
            "MAIL" => self.sender(line).await,
            "RCPT" => self.recipient(line).await,
            "DATA" => self.data().await,
            "QUIT" => self.say("221 2.0.0 Bye").await.map(|_| false),
            "RSET" | "NOOP" => self.say("250 2.0.0 Ok").await,
            _ => self.say("502 5.5.2 Command not recognised").await,
        }
    }

    async fn say(&mut self, reply: &str) -> Going {
        self.out.write_all(format!("{reply}\r\n").as_bytes()).await?;
        Ok(true)
    }

    async fn hello(&mut self, line: &str) -> Going {
        self.mail.hello = line.split(' ').nth(1).unwrap_or("").to_owned();
        let (starttls, login) = {
            let shared = lock(&self.shared);
            (shared.starttls, shared.login)
        };
        let tls = if starttls { "250-STARTTLS\r\n" } else { "" };
        let login = if login { "250-AUTH PLAIN LOGIN\r\n" } else { "" };
        self.say(&format!("250-sink\r\n{tls}{login}250 8BITMIME")).await
    }

    async fn login(&mut self, line: &str) -> Going {
        let mut words = line.split(' ').skip(1);
        let mechanism = words.next().unwrap_or("").to_ascii_uppercase();
        let answers = usize::from(words.next().is_none()) + usize::from(mechanism == "LOGIN");
        for _ in 0..answers {
            self.say("334 ").await?;
            self.line().await?;
        }
        self.mail.login = Some(mechanism);
        self.say("235 2.7.0 Authentication successful").await
    }

    async fn sender(&mut self, line: &str) -> Going {
        self.fault = lock(&self.shared).faults.pop_front();
        self.mail.from = address(line);
        self.mail.to.clear();
        match self.fault {
            Some(Fault::Sender(reply)) => self.say(reply).await,
            Some(Fault::Hang) => std::future::pending().await,
            _ => self.say("250 2.1.0 Ok").await,
        }
    }

    async fn recipient(&mut self, line: &str) -> Going {
        let address = address(line);
        let refused = lock(&self.shared).refused.iter().find(|(who, _)| *who == address).map(|(_, reply)| *reply);
        if let Some(Fault::Recipient(reply)) = self.fault {
            return self.say(reply).await;
        }
        match refused {
            Some(reply) => self.say(reply).await,
            None => {
                self.mail.to.push(address);
                self.say("250 2.1.5 Ok").await
            }
        }
    }

    async fn data(&mut self) -> Going {
        self.say("354 End data with <CR><LF>.<CR><LF>").await?;
        self.mail.data.clear();
        loop {
            match self.line().await? {
                // Who goes away in the middle has sent nothing.
                None => return Ok(false),
                Some(line) if line == "." => break,
                Some(line) => self.mail.data.extend([line.strip_prefix('.').unwrap_or(&line), "\r\n"]),
            }
        }
        match self.fault {
            Some(Fault::Message(reply)) => self.say(reply).await,
            Some(Fault::Drop) => Ok(false),
            _ => {
                let number = self.keep();
                self.say(&format!("250 2.0.0 Ok: queued as {number:X}")).await
            }
        }
    }

    fn keep(&self) -> usize {
        let mut shared = lock(&self.shared);
        shared.mails.push(self.mail.clone());
        shared.listeners.retain(|listener| listener.send(self.mail.clone()).is_ok());
        0x4F0 + shared.mails.len()
    }
}

/// The text between angle brackets.
fn address(line: &str) -> String {
    let after = line.split_once('<').map_or("", |(_, rest)| rest);
    after.split('>').next().unwrap_or("").to_owned()
}
