use super::{Observed, PartState, Path};
use serde::{Deserialize, Serialize};

/// Network links bonded into one: what storage on the network and cluster traffic go through.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Bond {
    /// `bond0`
    pub at: Path,
    /// The driver's words: "IEEE 802.3ad Dynamic link aggregation".
    pub mode: Option<String>,
    /// All links carry; `Some(false)`: one does, the others wait.
    pub spreads: Option<bool>,
    /// `Some(false)`: the other end does not bond these links (LACP).
    pub partner: Option<Observed<bool>>,
    pub links: Vec<BondLink>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BondLink {
    /// `eth0`
    pub name: String,
    pub state: Observed<PartState>,
    pub speed_mbps: Option<u64>,
    pub duplex: Option<Observed<PartState>>,
    /// How often it was lost since it joined the bond.
    pub failures: Option<u64>,
    /// `Some(false)`: the other end counts it to another group than the one that carries (LACP).
    pub in_group: Option<Observed<bool>>,
}
