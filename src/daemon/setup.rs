//! What the daemon needs of the configuration, ready to use.

use crate::act::Permits;
use crate::config::{Config, ConfigErrors, channels};
use crate::history::HistoryConfig;
use crate::locate::Tools;
use crate::notify::{Channel, Deadman};
use crate::serve::http::HttpSetup;
use raidmond_core::incident::Settings;
use raidmond_core::observe::{LogKind, UserRule};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct LogSource {
    /// Short name in messages: "megaserv.log".
    pub name: String,
    pub path: PathBuf,
    pub kind: LogKind,
    pub rules: Vec<UserRule>,
    /// Watched because it is there, not because it was configured: its absence is no blindness.
    pub found: bool,
}

#[derive(Clone)]
pub struct Setup {
    pub settings: Settings,
    pub channels: Vec<Arc<Channel>>,
    /// Channels that cannot work as configured: (name, why).
    pub broken: Vec<(String, String)>,
    pub nobody_told: Option<String>,
    /// What looks wrong in the configuration.
    pub cautions: Vec<String>,
    pub logs: Vec<LogSource>,
    pub deadman: Option<Arc<Deadman>>,
    pub deadman_every: Duration,
    pub poll_every: Duration,
    pub tool_dirs: Vec<PathBuf>,
    /// Adapters not to use.
    pub disabled: Vec<String>,
    pub consume_alarms: bool,
    /// What a usual question to a tool may take.
    pub tool_limit: Duration,
    /// What may be done to arrays and disks, by whom.
    pub permits: Permits,
    /// PCI addresses of controllers that are none of raidmond's business.
    pub ignored: Vec<String>,
    /// Tools as they are found, for the commands in messages.
    pub tools: Tools,
    pub history: HistoryConfig,
    /// `None`: nothing on TCP; an error: why not.
    pub http: Option<Result<HttpSetup, String>>,
}

/// Watched wherever it is there; the file of the MegaRAID SCSI daemon MegaServ.
const MEGASERV: &str = "/var/log/megaserv.log";
pub const NOBODY: &str = "no recipient is configured and this machine has no sendmail; see raidmond setup";

impl Setup {
    /// From the configuration file; warnings go to the log.
    pub fn load(path: &Path) -> Result<(Config, Self), ConfigErrors> {
        let (config, warnings) = Config::load(path)?;
        for warning in &warnings {
            tracing::warn!("{}", warning.headline());
        }
        let cautions = warnings.iter().map(|w| w.headline().to_owned()).collect();
        let setup = Self { cautions, ..Self::of(&config) };
        Ok((config, setup))
    }

    pub fn of(config: &Config) -> Self {
        let (channels, specs, broken) = channels::channels(config);
        let tools = Tools::default();
        let (deadman, deadman_every, no_deadman) = match channels::dead_man(config) {
            Some(Ok((deadman, every))) => (Some(Arc::new(deadman)), every, None),
            Some(Err(why)) => (None, Duration::from_secs(60), Some(("dead-man".to_owned(), why))),
            None => (None, Duration::from_secs(60), None),
        };
        Self {
            settings: config.settings(&config.host_name(), specs, tools.locator()),
            channels: channels.into_iter().map(Arc::new).collect(),
            broken: broken.into_iter().map(|b| (b.name, b.why)).chain(no_deadman).collect(),
            nobody_told: config.nobody_told().then(|| NOBODY.to_owned()),
            cautions: Vec::new(),
            logs: logs(config),
            deadman,
            deadman_every,
            poll_every: config.poll_interval,
            tool_dirs: config.tools.search_path.clone(),
            disabled: config.tools.disabled.clone(),
            consume_alarms: config.tools.tw_cli_consume_alarms,
            tool_limit: config.tools.time_limit,
            permits: Permits { allow: config.allow.clone(), scheduled: config.checks.runs() },
            ignored: config.ignored_controllers.clone(),
            tools,
            history: config.history.clone(),
            http: config.http.as_ref().map(HttpSetup::of),
        }
    }
}

fn logs(config: &Config) -> Vec<LogSource> {
    let configured = config.logs.iter().map(|log| LogSource {
        name: log.path.to_string_lossy().into_owned(),
        path: log.path.clone(),
        kind: log.kind,
        rules: log.rules.clone(),
        found: false,
    });
    let known = config.logs.iter().any(|log| log.path == Path::new(MEGASERV));
    let found = (!known).then(|| LogSource {
        name: MEGASERV.to_owned(),
        path: PathBuf::from(MEGASERV),
        kind: LogKind::Megaserv,
        rules: Vec::new(),
        found: true,
    });
    configured.chain(found).collect()
}
