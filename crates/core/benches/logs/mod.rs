//! Logs to scan: what a server's kernel says all day, what storage drivers say when nothing is wrong,
//! and faults of every layer.

/// Ordinary lines of a server, none of them a fault.
pub const ORDINARY: &[&str] = &[
    "e1000e 0000:00:1f.6 eth0: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx",
    "audit: type=1400 audit(1761990000.123:456): apparmor=\"ALLOWED\" operation=\"open\" profile=\"cron\" pid=1234",
    "IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready",
    "usb 1-1: new high-speed USB device number 4 using xhci_hcd",
    "EXT4-fs (dm-3): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.",
    "[UFW BLOCK] IN=eth0 OUT= MAC=00:11:22:33:44:55 SRC=192.0.2.10 DST=192.0.2.20 LEN=40 TTL=244 PROTO=TCP SPT=443 DPT=23",
    "systemd-journald[345]: Received client request to flush runtime journal.",
    "docker0: port 3(veth1a2b3c4) entered forwarding state",
    "TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.  Check SNMP counters.",
    "perf: interrupt took too long (2512 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
    "nf_conntrack: default automatic helper assignment has been turned off for security reasons",
];

/// Storage drivers when nothing is wrong: they begin like faults, and some rules are tried on them.
pub const CHATTER: &[&str] = &[
    "sd 0:2:1:0: [sdb] 15628053168 512-byte logical blocks: (8.00 TB/7.28 TiB)",
    "sd 0:2:1:0: [sdb] Write cache: disabled, read cache: enabled, supports DPO and FUA",
    "megaraid_sas 0000:18:00.0: INIT adapter done",
    "megaraid_sas 0000:18:00.0: firmware supports msix	: (96)",
    "ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
    "ata3.00: configured for UDMA/133",
    "md/raid1:md0: active with 2 out of 2 mirrors",
    "md0: detected capacity change from 0 to 1953382464",
    "nvme nvme0: 32/0/0 default/read/poll queues",
    "mpt3sas_cm0: port enable: SUCCESS",
    "scsi 0:0:12:0: Direct-Access     SEAGATE  ST8000NM0075     E004 PQ: 0 ANSI: 6",
    "XFS (sdb1): Ending clean mount",
];

/// Faults of every layer the kernel speaks of.
pub const FAULTS: &[&str] = &[
    "blk_update_request: I/O error, dev sdb, sector 488397000 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0",
    "sd 0:2:1:0: [sdb] tag#12 Sense Key : Medium Error [current] ",
    "sd 0:2:1:0: [sdb] tag#12 Add. Sense: Unrecovered read error",
    "megaraid_sas 0000:18:00.0: 12567 (749175033s/0x0001/CRIT) - VD 00/0 is now DEGRADED",
    "megaraid_sas 0000:18:00.0: 12570 (749175034s/0x0002/WARN) - Predictive failure: PD 0b(e0x08/s2)",
    "md/raid1:md0: Disk failure on sdc1, disabling device.",
    "md: super_written gets error=-5",
    "ata3.00: error: { UNC }",
    "ata3.00: failed command: READ FPDMA QUEUED",
    "ata3: hard resetting link",
    "Buffer I/O error on dev sdb1, logical block 61049600, async page read",
    "3w-9xxx: scsi0: AEN: ERROR (0x04:0x0002): Degraded unit:unit=0, port=3.",
    "aacraid: Host adapter abort request (0,0,1,0)",
    "mpt3sas_cm0: log_info(0x31120303): originator(PL), code(0x12), sub_code(0x0303)",
    "nvme nvme0: I/O 384 QID 7 timeout, aborting",
    "EXT4-fs error (device sdb1): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0",
    "XFS (sdb1): metadata I/O error in \"xfs_buf_ioend+0x1b0\" at daddr 0x1e8480 len 32 error 5",
    "hpsa 0000:05:00.0: controller lockup detected: 0x00130000 after 30",
];

/// The programs that watch disks, in a syslog.
pub const DAEMONS: &[&str] = &[
    "smartd[812]: Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors",
    "smartd[812]: Device: /dev/bus/0 [megaraid_disk_04], SMART Failure: FAILURE PREDICTION THRESHOLD EXCEEDED",
    "mdadm[640]: Fail event detected on md device /dev/md0, component device /dev/sdc1",
    "mdadm[640]: DegradedArray event detected on md device /dev/md0",
    "MR_MONITOR[1422]: <MRMON251> Controller ID:  0   VD is now DEGRADED   VD   0",
    "zed[991]: eid=71 class=statechange pool='tank' vdev=sdd1 vdev_state=FAULTED",
];

/// As the kernel's own log has it: `lines` one in `every`, the rest ordinary.
pub fn kernel(megabytes: usize, every: usize, lines: &[&str]) -> Vec<u8> {
    log(megabytes, |n, log| {
        let text = match n % every {
            0 => lines[n / every % lines.len()],
            _ => ORDINARY[n.wrapping_mul(7) % ORDINARY.len()],
        };
        log.extend_from_slice(format!("kernel: [{:8}.{:06}] {text}", n / 10, n % 1_000_000).as_bytes());
    })
}

/// A syslog: `lines` with their programs one in `every`, the rest the kernel's.
pub fn syslog(megabytes: usize, every: usize, lines: &[&str]) -> Vec<u8> {
    log(megabytes, |n, log| match n % every {
        0 => log.extend_from_slice(lines[n / every % lines.len()].as_bytes()),
        _ => log.extend_from_slice(format!("kernel: {}", ORDINARY[n.wrapping_mul(7) % ORDINARY.len()]).as_bytes()),
    })
}

fn log(megabytes: usize, mut text: impl FnMut(usize, &mut Vec<u8>)) -> Vec<u8> {
    let mut log = Vec::with_capacity((megabytes << 20) + 512);
    let mut n = 1;
    while log.len() < megabytes << 20 {
        let (second, day) = (n % 60, n / 200_000 % 28 + 1);
        log.extend_from_slice(format!("Oct {day:2} 12:34:{second:02} server7 ").as_bytes());
        text(n, &mut log);
        log.push(b'\n');
        n += 1;
    }
    log
}
