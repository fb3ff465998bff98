//! Rows → what a pool is made of: top-level vdevs, their places, and how many of them may be lost.

use super::raw::Row;

#[derive(Debug, Clone)]
pub struct Node {
    pub row: Row,
    pub below: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Disk,
    Mirror,
    /// raidz and draid, with their parity.
    Parity(u32),
    /// A place that two disks share for a time: replacing, spare.
    Shared,
    /// What is left of a removed vdev: no disk, no redundancy of its own.
    Remnant,
}

impl Node {
    pub fn kind(&self) -> Kind {
        let name = self.row.name.as_str();
        let (word, rest) = name.split_once(['-', ':']).unwrap_or((name, ""));
        // A spare of a draid is a leaf by the name of `draid2-0-0`.
        if word.starts_with("draid") && self.below.is_empty() {
            return Kind::Disk;
        }
        let numbered =
            rest.is_empty() || rest.split('-').any(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
        match word {
            _ if !numbered => Kind::Disk,
            "mirror" => Kind::Mirror,
            "raidz" | "raidz1" | "draid" | "draid1" => Kind::Parity(1),
            "raidz2" | "draid2" => Kind::Parity(2),
            "raidz3" | "draid3" => Kind::Parity(3),
            "replacing" | "spare" => Kind::Shared,
            "indirect" | "hole" | "missing" => Kind::Remnant,
            _ if self.below.is_empty() => Kind::Disk,
            _ => Kind::Shared,
        }
    }

    /// How many of its places may be lost.
    pub fn tolerance(&self) -> u32 {
        match self.kind() {
            Kind::Mirror => u32::try_from(self.below.len()).unwrap_or(0).saturating_sub(1),
            Kind::Parity(parity) => parity,
            _ => 0,
        }
    }

    /// A lone disk, and one that is being replaced, are their own place.
    pub fn places(&self) -> Vec<&Node> {
        match self.kind() {
            Kind::Mirror | Kind::Parity(_) => self.below.iter().collect(),
            Kind::Disk | Kind::Shared => vec![self],
            Kind::Remnant => Vec::new(),
        }
    }

    /// Leaves below, itself if it is one.
    pub fn disks(&self) -> Vec<&Node> {
        match self.kind() {
            Kind::Disk if self.below.is_empty() => vec![self],
            Kind::Remnant if self.below.is_empty() => Vec::new(),
            _ => self.below.iter().flat_map(Node::disks).collect(),
        }
    }
}

/// Top-level vdevs of a pool; the pool's own row is left out.
pub fn tops(rows: &[Row]) -> Vec<Node> {
    nodes(rows.get(1..).unwrap_or_default(), 1).0
}

/// Siblings of one depth, and how many rows they took. Rows that jump a level belong to the last one; a
/// row that stands too far left, as mangled captures have it, is still one of the pool's.
fn nodes(rows: &[Row], depth: usize) -> (Vec<Node>, usize) {
    let (mut found, mut at): (Vec<Node>, usize) = (Vec::new(), 0);
    while let Some(row) = rows.get(at) {
        if row.depth.max(1) < depth {
            break;
        }
        let rest = rows.get(at + 1..).unwrap_or_default();
        // A hostile text could nest without end.
        let (below, taken) = if depth < 8 { nodes(rest, row.depth.max(depth) + 1) } else { (Vec::new(), 0) };
        found.push(Node { row: row.clone(), below });
        at += 1 + taken;
    }
    (found, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[(usize, &str)]) -> Vec<Node> {
        let row = |(depth, name): &(usize, &str)| Row { depth: *depth, name: (*name).to_owned(), ..Row::default() };
        tops(&rows.iter().map(row).collect::<Vec<_>>())
    }

    #[test]
    fn a_pool_is_made_of_vdevs() {
        let tops = tree(&[
            (0, "tank"),
            (1, "mirror-0"),
            (2, "sda"),
            (2, "replacing-1"),
            (3, "sdb"),
            (3, "sdc"),
            (1, "raidz2-1"),
            (2, "sdd"),
            (1, "sde"),
            (1, "indirect-3"),
        ]);
        let told: Vec<_> = tops.iter().map(|t| (t.kind(), t.tolerance(), t.places().len(), t.disks().len())).collect();
        assert_eq!(
            told,
            [(Kind::Mirror, 1, 2, 3), (Kind::Parity(2), 2, 1, 1), (Kind::Disk, 0, 1, 1), (Kind::Remnant, 0, 0, 0),]
        );
    }

    #[test]
    fn names_of_vdevs() {
        let kind = |name: &str| tree(&[(0, "p"), (1, name), (2, "sda")])[0].kind();
        assert_eq!(kind("draid2:4d:11c:1s-0"), Kind::Parity(2));
        assert_eq!(kind("raidz"), Kind::Parity(1));
        assert_eq!(kind("raidz3-12"), Kind::Parity(3));
        assert_eq!(kind("spare-1"), Kind::Shared);
        assert_eq!(tree(&[(0, "p"), (1, "mirror-lake")])[0].kind(), Kind::Disk);
    }
}
