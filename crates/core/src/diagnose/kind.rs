//! Every kind of condition raidmond knows, with its word, topic and severity by default.
//!
//! The defaults follow the one table of severities; where a row depends on the situation (redundancy
//! left, a suspect member, time), the situation has a kind of its own, so that an admin can override
//! each row by its word in `[severity]`.

use crate::severity::Severity;
use serde::{Deserialize, Serialize};

/// What an incident is about; with its anchor it makes the incident's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    Redundancy,
    DataLoss,
    /// A disk's own health; a device's I/O errors.
    Health,
    Presence,
    Spares,
    Cache,
    Temperature,
    Foreign,
    Parts,
    Memory,
    Consistency,
    Resets,
    Settings,
    Task,
    /// Words raidmond does not know.
    Vocabulary,
    /// A source raidmond cannot read.
    Source,
    Channel,
    State,
}

macro_rules! kinds {
    ($( $variant:ident, $word:literal, $topic:ident, $severity:ident, $meaning:literal; )+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ConditionKind { $( $variant, )+ }

        impl ConditionKind {
            pub const ALL: &'static [ConditionKind] = &[ $( ConditionKind::$variant, )+ ];

            /// The word in config, JSON and mails.
            pub fn word(self) -> &'static str {
                match self { $( ConditionKind::$variant => $word, )+ }
            }

            pub fn topic(self) -> Topic {
                match self { $( ConditionKind::$variant => Topic::$topic, )+ }
            }

            pub fn default_severity(self) -> Severity {
                match self { $( ConditionKind::$variant => Severity::$severity, )+ }
            }

            pub fn meaning(self) -> &'static str {
                match self { $( ConditionKind::$variant => $meaning, )+ }
            }
        }
    };
}

kinds! {
    ArrayFailed, "array-failed", Redundancy, Emergency, "The array does not serve its data.";
    ArrayAtRisk, "array-at-risk", Redundancy, Emergency, "No redundancy is left and another member is suspect: the next error can lose the array.";
    ArrayDegraded, "array-degraded", Redundancy, Critical, "No redundancy is left and nothing is restoring it: the next disk failure loses the array.";
    ArrayRebuilding, "array-rebuilding", Redundancy, Warning, "No redundancy is left until the running or queued rebuild ends.";
    ArrayReduced, "array-reduced", Redundancy, Warning, "A member is lost; the array can lose at least one more disk.";
    ArrayReducedLong, "array-reduced-long", Redundancy, Critical, "A member has been lost for days and the array is not whole again.";
    NoRedundancyYet, "no-redundancy-yet", Redundancy, Warning, "A new array is still being initialised and has no redundancy yet.";
    ArrayMissing, "array-missing", Presence, Critical, "An array that was there is not listed any more.";
    SectorsLost, "sectors-lost", DataLoss, Critical, "Data of some sectors is lost; replacing disks does not bring it back.";
    CacheDiscarded, "cache-discarded", DataLoss, Critical, "Writes that were only in the controller's cache are lost.";
    DataLoss, "data-loss", DataLoss, Critical, "The log says that written data was lost.";
    Inconsistencies, "inconsistencies", Consistency, Warning, "A check found data and parity that do not agree.";
    MirrorMismatches, "mirror-mismatches", Consistency, Notice, "A check found mirror halves that differ; known to be harmless with swap.";
    CheckFailed, "check-failed", Consistency, Warning, "A consistency check did not end well.";
    CheckVanished, "check-vanished", Consistency, Warning, "A consistency check is gone, and nothing says that it came to its end.";
    CheckOverdue, "check-overdue", Consistency, Warning, "No consistency check has been completed for two periods of its schedule.";
    CheckSlow, "check-slow", Consistency, Warning, "A consistency check takes far longer than those before it, or makes no progress.";
    CheckInterrupted, "check-interrupted", Consistency, Notice, "A restart interrupted a consistency check: it is not completed, and is made up.";
    CheckScheduleConflict, "check-schedule-conflict", Consistency, Warning, "Somebody else checks the array already, or nobody does where others were to.";
    TaskRunning, "task-running", Task, Info, "Expected work is going on.";
    DiskFailed, "disk-failed", Health, Warning, "The disk is out of service.";
    SpareFailed, "spare-failed", Health, Warning, "A hot spare failed: the next failure will find none.";
    DiskUnconfiguredBad, "disk-unconfigured-bad", Health, Warning, "The controller marks this unassigned disk as bad.";
    DiskMissing, "disk-missing", Presence, Warning, "A disk that mattered is not listed any more.";
    DiskRemoved, "disk-removed", Presence, Notice, "A disk without a task was taken out.";
    DiskPredictive, "disk-predictive", Health, Warning, "The disk or its controller predicts that it will fail soon.";
    MediaErrors, "media-errors", Health, Notice, "The disk has counted media errors before raidmond first saw it; from now on growth is reported.";
    MediaErrorsGrowing, "media-errors-growing", Health, Warning, "The disk counts new media errors: its surface is going bad.";
    UnreadableSectors, "unreadable-sectors", Health, Warning, "The disk has sectors it cannot read now, or data it could not write.";
    SelfTestFailed, "self-test-failed", Health, Warning, "The disk's last self-test failed.";
    DiskWorn, "disk-worn", Health, Warning, "The disk has used up what it was built for; it still works.";
    RecoveryTime, "recovery-time", Settings, Warning, "The disk may try longer to read a bad sector than the kernel waits: the kernel then resets it and throws it out of its array.";
    RecoveryTimeBehindRaid, "recovery-time-behind-raid", Settings, Notice, "A disk without a limit of its error recovery behind a RAID controller: over one bad sector the controller may take it for dead.";
    OtherErrors, "other-errors", Health, Info, "The disk has counted other errors before raidmond first saw it.";
    OtherErrorsGrowing, "other-errors-growing", Health, Warning, "Other errors grow: look at cable, slot and backplane.";
    CorrectedErrors, "corrected-errors", Health, Info, "An error was corrected.";
    CorrectedErrorsRepeated, "corrected-errors-repeated", Health, Warning, "Errors are corrected again and again on one disk.";
    DiskTemperature, "disk-temperature", Temperature, Warning, "The disk is warmer than its warning limit.";
    DiskTemperatureCritical, "disk-temperature-critical", Temperature, Critical, "The disk is hotter than its critical limit.";
    ForeignConfiguration, "foreign-configuration", Foreign, Warning, "Disks carry a configuration the controller has not taken over. Do not clear it before you know what it is.";
    SparesShort, "spares-short", Spares, Warning, "There are fewer hot spares than before.";
    ControllerMissing, "controller-missing", Presence, Critical, "A controller that was there is not seen any more.";
    ControllerFailed, "controller-failed", Health, Critical, "The controller reports a fault of its own or does not answer.";
    ControllerAttention, "controller-attention", Health, Warning, "The controller itself asks for attention.";
    ControllerTemperature, "controller-temperature", Temperature, Warning, "The controller is warmer than its limit.";
    ControllerTemperatureCritical, "controller-temperature-critical", Temperature, Critical, "The controller is hotter than its critical limit.";
    MemoryUncorrectable, "memory-uncorrectable", Memory, Critical, "The controller's memory has errors it cannot correct: data in it may be damaged.";
    MemoryCorrectable, "memory-correctable", Memory, Notice, "The controller's memory has counted corrected errors before raidmond first saw it.";
    MemoryCorrectableGrowing, "memory-correctable-growing", Memory, Warning, "The controller's memory corrects more and more errors.";
    ControllerReset, "controller-reset", Resets, Info, "The controller was reset once.";
    ControllerResets, "controller-resets", Resets, Warning, "The controller was reset three times or more within a day.";
    Timeout, "timeout", Resets, Info, "A command timed out.";
    Timeouts, "timeouts", Resets, Warning, "Commands time out again and again.";
    LinkErrors, "link-errors", Health, Info, "A link error was seen.";
    LinkErrorsRepeated, "link-errors-repeated", Health, Warning, "Link errors repeat: look at cable, slot and backplane.";
    ClockDrift, "clock-drift", Settings, Notice, "The controller's clock is more than five minutes off.";
    FirmwareChanged, "firmware-changed", Settings, Notice, "The controller's firmware was changed.";
    SettingsDrift, "settings-drift", Settings, Notice, "A setting is not what `[[expect]]` in the configuration says.";
    ControllerReplaced, "controller-replaced", Settings, Notice, "Another controller is in the place of an old one; its arrays and disks are expected behind it.";
    DiskReplaced, "disk-replaced", Settings, Notice, "Another disk is in the place of an old one.";
    BatteryFailed, "battery-failed", Cache, Warning, "The battery or capacitor does not protect the write cache.";
    BatteryWeak, "battery-weak", Cache, Warning, "The battery or capacitor wants attention.";
    BatteryReplace, "battery-replace", Cache, Warning, "The controller says that the battery or capacitor must be replaced.";
    BatteryMissing, "battery-missing", Cache, Warning, "The battery or capacitor that was there is missing.";
    BatteryLearning, "battery-learning", Cache, Info, "A learn cycle is running; write-back may be off meanwhile.";
    BatteryLearningLong, "battery-learning-long", Cache, Warning, "A learn cycle has been running for more than a day.";
    BatteryCharging, "battery-charging", Cache, Info, "The battery is charging.";
    BatteryChargingLong, "battery-charging-long", Cache, Warning, "The battery has been charging for more than a day.";
    WriteBackLost, "write-back-lost", Cache, Warning, "Write-back is configured and not in force: writes are slow.";
    WriteBackPaused, "write-back-paused", Cache, Info, "Write-back is off while the battery learns.";
    WriteBackUnprotected, "write-back-unprotected", Cache, Warning, "Write-back is on without a good battery: a power loss loses data.";
    CachePreserved, "cache-preserved", Cache, Warning, "The controller keeps cached writes of an array that is not there.";
    PartFailed, "part-failed", Parts, Warning, "A fan, power supply, sensor or link failed.";
    PartFailedLast, "part-failed-last", Parts, Critical, "A fan, power supply or link failed and no other of its kind works.";
    PartWarning, "part-warning", Parts, Warning, "A part of the enclosure asks for attention.";
    PartMissing, "part-missing", Parts, Warning, "A fan, power supply or link that was there is missing.";
    BondDown, "bond-down", Parts, Critical, "No link of the bond is up: what lies behind it is not reached.";
    BondLinkDown, "bond-link-down", Parts, Warning, "A link of a bond is down.";
    BondLinkIdle, "bond-link-idle", Parts, Warning, "A link of a bond is up and carries nothing: the other end does not count it to the group that carries.";
    BondNoPartner, "bond-no-partner", Parts, Warning, "The bond is set up for LACP and the other end does not answer: at most one link carries.";
    BondLinkMismatch, "bond-link-mismatch", Parts, Warning, "Links that share the traffic of a bond differ in speed, or one is half duplex: look at cable and port.";
    BondSpeedsDiffer, "bond-speeds-differ", Parts, Notice, "A link of a bond is slower than the one it can stand in for.";
    BondLinkFailures, "bond-link-failures", Parts, Info, "A link of a bond was lost before raidmond first saw it.";
    BondLinkFailuresGrowing, "bond-link-failures-growing", Parts, Warning, "A link of a bond is lost again and again: look at cable, port and transceiver.";
    BondMissing, "bond-missing", Presence, Warning, "A bond of network links that was there is gone.";
    PathLost, "path-lost", Parts, Warning, "A path to the disks is lost; another one still works.";
    IoErrors, "io-errors", Health, Warning, "The kernel reports I/O errors on a disk.";
    IoErrorsArray, "io-errors-array", Redundancy, Critical, "The kernel reports I/O errors on an array.";
    DeviceOffline, "device-offline", Health, Warning, "The kernel gave the device up.";
    FilesystemError, "filesystem-error", Health, Critical, "A file system reports errors.";
    LogArrayFailed, "log-array-failed", Redundancy, Emergency, "The log says that an array failed.";
    LogArrayDegraded, "log-array-degraded", Redundancy, Critical, "The log says that an array is degraded.";
    LogRebuildFailed, "log-rebuild-failed", Redundancy, Critical, "The log says that a rebuild stopped short.";
    LogDiskFailed, "log-disk-failed", Health, Warning, "The log says that a disk failed.";
    LogDiskPredictive, "log-disk-predictive", Health, Warning, "The log says that a disk will fail soon.";
    LogFault, "log-fault", Health, Warning, "The log reports trouble.";
    LogCriticalFault, "log-critical-fault", Health, Critical, "The log reports serious trouble.";
    SourcesDisagree, "sources-disagree", Settings, Notice, "Two sources say different things of the same object; the worse one is believed.";
    UnknownWord, "unknown-word", Vocabulary, Warning, "The tool used a word raidmond does not know, so it cannot judge it.";
    PartlyRead, "partly-read", Source, Warning, "Only a part of the answer could be read.";
    ToolReportsFault, "tool-reports-fault", Health, Warning, "The tool reports something wrong.";
    ToolReportsNotice, "tool-reports-notice", Settings, Notice, "The tool reports a change.";
    SourceBlind, "source-blind", Source, Blind, "raidmond cannot see: this source does not answer as it should. Nothing it showed before counts as mended.";
    NothingToJudge, "nothing-to-judge", Source, Blind, "Nothing in the input says anything about health.";
    LogBlind, "log-blind", Source, Blind, "A log that should be read is gone or silent.";
    ControllerUnwatched, "controller-unwatched", Source, Blind, "A RAID controller is on the bus and nothing raidmond has can read it.";
    ChannelFailing, "channel-failing", Channel, Warning, "Messages do not get through this channel.";
    NobodyTold, "nobody-told", Channel, Warning, "There is nobody to tell.";
    ConfigRefused, "config-refused", State, Warning, "The new configuration has mistakes; the old one stays in force.";
    StateLost, "state-lost", State, Critical, "raidmond cannot save its state.";
    StateSetAside, "state-set-aside", State, Warning, "The state file was unusable and was set aside; raidmond started afresh.";
    FoundInPast, "found-in-past", Health, Warning, "Lines from before raidmond started to watch tell of trouble, and nothing since says that it is over.";
}

impl ConditionKind {
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.word() == word)
    }

    /// Stands on log lines alone.
    pub fn rests_on_lines(self) -> bool {
        use ConditionKind as K;
        let of_io = matches!(self, K::IoErrors | K::IoErrorsArray | K::DeviceOffline | K::FilesystemError);
        let of_arrays = matches!(self, K::LogArrayFailed | K::LogArrayDegraded | K::LogRebuildFailed);
        of_io
            || of_arrays
            || matches!(self, K::LogDiskFailed | K::LogDiskPredictive | K::LogFault | K::LogCriticalFault)
    }

    /// Too grave to be hidden: what an admin may say of it ends at "notice".
    pub fn is_grave(self) -> bool {
        let usual = self.default_severity();
        let of_data = matches!(self.topic(), Topic::Redundancy | Topic::DataLoss) && usual.is_fault();
        of_data || usual >= Severity::Blind
    }

    /// Stands on the state word of its object: only another word ends it.
    pub fn rests_on_state(self) -> bool {
        use ConditionKind as K;
        let of_arrays = self.topic() == Topic::Redundancy && !self.rests_on_lines();
        let of_disks = matches!(self, K::DiskFailed | K::SpareFailed | K::DiskUnconfiguredBad);
        of_arrays
            || of_disks
            || matches!(self, K::BatteryFailed | K::BatteryWeak | K::BatteryReplace | K::BatteryMissing)
    }

    /// Data loss does not close by itself: a person says that it has been dealt with.
    pub fn closes_by_hand(self) -> bool {
        self.topic() == Topic::DataLoss
    }
}
