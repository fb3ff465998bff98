//! A guest with a real kernel: disks that can be broken, a mail server, and raidmond as its package installs it.
//!
//! The guest boots once per run and is saved; every scenario starts from there within a second or two. Commands
//! go over a virtio port, so that nothing depends on the guest's network.

use base64::Engine as _;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

pub const DISKS: usize = 8;

/// One guest at a time: they share their disks' files.
static ONE: Mutex<()> = Mutex::new(());
static SAVED: OnceLock<()> = OnceLock::new();

pub struct Guest {
    child: Child,
    agent: BufReader<UnixStream>,
    monitor: BufReader<UnixStream>,
    _one: Option<MutexGuard<'static, ()>>,
}

/// What a command said, and its exit code.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub text: String,
}

impl Guest {
    /// Booted, nothing of raidmond on it but its package in /root.
    pub fn booted() -> Self {
        Self::from("booted")
    }

    /// With raidmond's package installed and its service up.
    pub fn installed() -> Self {
        Self::from("installed")
    }

    fn from(snapshot: &str) -> Self {
        let one = ONE.lock().unwrap_or_else(|e| e.into_inner());
        SAVED.get_or_init(save);
        Self::start(&["-loadvm", snapshot], Some(one))
    }

    /// Shut down in order and started again from its disks.
    pub fn reboot(&mut self) {
        // It may be gone before it answers.
        let line = base64::engine::general_purpose::STANDARD.encode("systemctl --no-block reboot") + "\n";
        self.agent.get_mut().write_all(line.as_bytes()).expect("the guest listens");
        let status = self.child.wait().expect("the emulator ends");
        assert!(status.success(), "{status}");
        let one = self._one.take();
        *self = Self::start(&[], one);
        self.wait_ready();
    }

    fn start(more: &[&str], one: Option<MutexGuard<'static, ()>>) -> Self {
        let dir = dir();
        for socket in ["agent", "monitor"] {
            let _ = std::fs::remove_file(dir.join(socket));
        }
        let child = Command::new("qemu-system-x86_64")
            .args(arguments(&dir))
            .args(more)
            .stdin(Stdio::null())
            .stdout(log("emulator.log"))
            .stderr(log("emulator-errors.log"))
            .spawn()
            .expect("the emulator starts");
        let agent = BufReader::new(connect(&dir.join("agent")));
        let monitor = BufReader::new(connect(&dir.join("monitor")));
        let mut guest = Self { child, agent, monitor, _one: one };
        guest.monitor_line();
        guest.monitor("qmp_capabilities", "{}");
        guest
    }

    /// Runs a script in the guest.
    pub fn sh(&mut self, script: &str) -> Said {
        let line = base64::engine::general_purpose::STANDARD.encode(script) + "\n";
        self.agent.get_mut().write_all(line.as_bytes()).expect("the guest listens");
        loop {
            let answer = self.agent_line();
            let Some((code, said)) = answer.trim().split_once(' ') else {
                // "ready" of an agent that was started over, or an empty output.
                match answer.trim().parse() {
                    Ok(code) => return Said { code, text: String::new() },
                    Err(_) => continue,
                }
            };
            let text = base64::engine::general_purpose::STANDARD.decode(said).expect("base64");
            let code = code.parse().expect("an exit code");
            return Said { code, text: String::from_utf8_lossy(&text).into_owned() };
        }
    }

    /// Runs a script that must succeed.
    pub fn must(&mut self, script: &str) -> String {
        let said = self.sh(script);
        assert!(said.code == 0, "`{script}` ended with {}:\n{}", said.code, said.text);
        said.text
    }

    pub fn wait_ready(&mut self) {
        while self.agent_line().trim() != "ready" {}
    }

    /// Waits for something to come true, looking each half second.
    pub fn until(&mut self, seconds: u64, what: &str, mut come: impl FnMut(&mut Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(seconds * slowness());
        while !come(self) {
            if Instant::now() > end {
                let status =
                    self.sh("raidmond status; raidmond incidents; journalctl -n 40 --no-pager; cat /proc/mdstat").text;
                panic!("not within {seconds} s: {what}\n{status}");
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// The mails root has got, oldest first.
    pub fn mails(&mut self) -> Vec<String> {
        let mailbox = self.sh("cat /var/mail/root 2>/dev/null").text;
        let mut mails = Vec::new();
        for line in mailbox.lines() {
            if line.starts_with("From ") {
                mails.push(String::new());
            }
            if let Some(mail) = mails.last_mut() {
                mail.push_str(line);
                mail.push('\n');
            }
        }
        mails
    }

    /// Waits for a mail whose subject holds all of these words, and gives it.
    pub fn mail(&mut self, seconds: u64, words: &[&str]) -> String {
        let mut found = None;
        let seek = |mail: &String| words.iter().all(|w| subject(mail).contains(w));
        self.until(seconds, &format!("a mail about {words:?}"), |guest| {
            found = guest.mails().into_iter().find(seek);
            found.is_some()
        });
        found.expect("found")
    }

    pub fn subjects(&mut self) -> Vec<String> {
        self.mails().iter().map(|m| subject(m)).collect()
    }

    /// Exactly this many mails have these words in their subject, and no more come for a while.
    pub fn told(&mut self, times: usize, words: &[&str]) {
        std::thread::sleep(Duration::from_secs(5));
        let subjects = self.subjects();
        let told = subjects.iter().filter(|s| words.iter().all(|w| s.contains(w))).count();
        assert_eq!(told, times, "mails about {words:?}: {subjects:#?}");
    }

    /// What `raidmond status` ends with and says.
    pub fn status(&mut self, code: i32) -> String {
        let said = self.sh("raidmond status");
        assert_eq!(said.code, code, "raidmond status:\n{}", said.text);
        said.text
    }

    /// Kernel names are given in random order; serials are not: `/dev/sdc` of disk 0.
    pub fn disk(&mut self, number: usize) -> String {
        let link = format!("/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_LAB{number}");
        self.must(&format!("readlink -f {link}")).trim().to_owned()
    }

    /// A command of the emulator's own monitor, as a person would type it.
    pub fn monitor_command(&mut self, line: &str) -> String {
        let line = line.replace('"', "\\\"");
        self.monitor("human-monitor-command", &format!("{{\"command-line\": \"{line}\"}}"))
    }

    fn save(&mut self, name: &str) {
        self.must("sync");
        let said = self.monitor_command(&format!("savevm {name}"));
        assert!(!said.contains("Error"), "{said}");
    }

    fn monitor(&mut self, command: &str, arguments: &str) -> String {
        let text = format!("{{\"execute\": \"{command}\", \"arguments\": {arguments}}}\n");
        self.monitor.get_mut().write_all(text.as_bytes()).expect("the monitor listens");
        loop {
            let line = self.monitor_line();
            if line.contains("\"return\"") || line.contains("\"error\"") {
                return line;
            }
        }
    }

    fn monitor_line(&mut self) -> String {
        line(&mut self.monitor, "monitor")
    }

    fn agent_line(&mut self) -> String {
        line(&mut self.agent, "guest")
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(from: &mut BufReader<UnixStream>, whom: &str) -> String {
    let mut line = String::new();
    let read = from.read_line(&mut line);
    let console = || std::fs::read_to_string(dir().join("console.log")).unwrap_or_default();
    match read {
        Ok(n) if n > 0 => line,
        other => panic!("the {whom} does not answer ({other:?}); its console:\n{}", tail(&console(), 30)),
    }
}

fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

pub fn subject(mail: &str) -> String {
    let mut lines = mail.lines().skip_while(|l| !l.to_ascii_lowercase().starts_with("subject:"));
    let mut subject = lines.next().unwrap_or("").to_owned();
    for line in lines.take_while(|l| l.starts_with([' ', '\t'])) {
        subject.push_str(line);
    }
    subject
}

/// Boots the guest once and saves it, before and after the package is installed. `RAIDMOND_VM_KEEP=1` takes
/// what an earlier run has saved: with that run's package in it.
fn save() {
    if std::env::var_os("RAIDMOND_VM_KEEP").is_some() {
        return;
    }
    let began = Instant::now();
    disks();
    let mut guest = Guest::start(&[], None);
    guest.wait_ready();
    guest.must("udevadm settle; modprobe -a raid1 raid456 raid10 raid0; systemctl is-active postfix");
    // The share is let go again: a guest that holds one cannot be saved.
    guest.must(
        "mount -t 9p -o trans=virtio,version=9p2000.L,ro share /mnt && cp /mnt/raidmond.deb /root/ && umount /mnt",
    );
    guest.save("booted");
    println!("vm: booted and saved in {} s", began.elapsed().as_secs());
    guest.must("dpkg -i /root/raidmond.deb");
    guest.until(60, "raidmond is ready", |g| g.sh("systemctl is-active raidmond").code == 0);
    guest.save("installed");
    println!("vm: installed and saved in {} s", began.elapsed().as_secs());
}

fn disks() {
    let root = dir().join("root.img");
    qcow2("root", "1500M", &["-b", &root.to_string_lossy(), "-F", "raw"]);
    (0..DISKS).for_each(|n| qcow2(&format!("disk{n}"), "192M", &[]));
}

fn qcow2(name: &str, size: &str, more: &[&str]) {
    let file = dir().join(format!("{name}.qcow2"));
    let mut command = Command::new("qemu-img");
    command.args(["create", "-q", "-f", "qcow2"]).args(more).arg(&file).arg(size);
    assert!(command.status().expect("qemu-img runs").success());
}

fn arguments(dir: &Path) -> Vec<String> {
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let mut all: Vec<String> = Vec::new();
    let mut add = |text: String| all.extend(text.split(' ').map(str::to_owned));
    add(format!("-accel {} -machine q35 -m 1024 -smp 2", accelerator()));
    add("-nodefaults -display none -no-reboot".to_owned());
    add(format!("-kernel {} -initrd {}", path("vmlinuz"), path("initrd.gz")));
    add(format!("-serial file:{}", path("console.log")));
    add(format!("-qmp unix:{},server=on,wait=off", path("monitor")));
    add(format!(
        "-drive file={},if=none,id=root,format=qcow2,cache=unsafe -device virtio-blk-pci,drive=root",
        path("root.qcow2")
    ));
    add(format!("-device virtio-serial-pci -chardev socket,id=agent,path={},server=on,wait=off", path("agent")));
    add("-device virtserialport,chardev=agent,name=agent -device virtio-rng-pci".to_owned());
    add("-netdev user,id=net -device virtio-net-pci,netdev=net".to_owned());
    add(format!("-virtfs local,path={},mount_tag=share,security_model=none,readonly=on", path("share")));
    add("-device virtio-scsi-pci,id=scsi0".to_owned());
    for n in 0..DISKS {
        add(format!("-drive file={},if=none,id=d{n},format=qcow2,cache=unsafe", path(&format!("disk{n}.qcow2"))));
        add(format!("-device scsi-hd,id=disk{n},bus=scsi0.0,drive=d{n},serial=LAB{n},rerror=report,werror=report"));
    }
    all.push("-append".to_owned());
    all.push("console=ttyS0 rw panic=-1 mitigations=off nokaslr quiet loglevel=4 systemd.show_status=0".to_owned());
    all
}

/// Emulated unless asked otherwise: it is fast enough, and nested virtualisation fails on many CI machines.
fn accelerator() -> &'static str {
    match std::env::var_os("RAIDMOND_VM_KVM") {
        Some(_) => "kvm -cpu max,arch-capabilities=off",
        None => "tcg,thread=multi -cpu max",
    }
}

/// `RAIDMOND_VM_SLOW=3` triples every time limit, for a machine that is busy otherwise.
fn slowness() -> u64 {
    std::env::var("RAIDMOND_VM_SLOW").ok().and_then(|s| s.parse().ok()).unwrap_or(1)
}

pub fn dir() -> PathBuf {
    std::env::var_os("RAIDMOND_VM").map(PathBuf::from).expect("only called when it is set")
}

fn log(name: &str) -> Stdio {
    std::fs::File::create(dir().join(name)).expect("a log of the emulator").into()
}

fn connect(path: &Path) -> UnixStream {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        match UnixStream::connect(path) {
            Ok(stream) => {
                stream.set_read_timeout(Some(Duration::from_secs(330))).expect("a time limit");
                return stream;
            }
            Err(e) if Instant::now() > end => panic!("{}: {e}", path.display()),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}
