//! The driver's file into what it says, by key. No judgement.

#[derive(Debug, Default, PartialEq)]
pub struct Page {
    pub begun: bool,
    pub mode: Option<String>,
    /// Of the bond as a whole.
    pub status: Option<String>,
    /// Of the group that carries now; only root sees it.
    pub aggregator: Option<u64>,
    pub partner: Option<String>,
    pub links: Vec<Link>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Link {
    pub name: String,
    pub status: Option<String>,
    pub speed: Option<String>,
    pub duplex: Option<String>,
    pub failures: Option<u64>,
    pub aggregator: Option<u64>,
    /// Of this link's own partner; only root sees it.
    pub partner: Option<String>,
}

pub fn page(text: &str) -> Page {
    let mut page = Page::default();
    let mut of_partner = false;
    for line in text.lines().map(str::trim) {
        page.begun |= line.starts_with("Ethernet Channel Bonding Driver");
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "details partner lacp pdu" => of_partner = true,
            "details actor lacp pdu" => of_partner = false,
            "Slave Interface" => page.links.push(Link { name: value.to_owned(), ..Link::default() }),
            _ => match page.links.last_mut() {
                Some(link) => of_link(link, key, value, of_partner),
                None => of_bond(&mut page, key, value),
            },
        }
    }
    page
}

fn of_bond(page: &mut Page, key: &str, value: &str) {
    match key {
        "Bonding Mode" => page.mode = Some(value.to_owned()),
        "MII Status" => page.status = Some(value.to_owned()),
        "Aggregator ID" => page.aggregator = value.parse().ok(),
        "Partner Mac Address" => page.partner = Some(value.to_owned()),
        _ => {}
    }
}

fn of_link(link: &mut Link, key: &str, value: &str, of_partner: bool) {
    match key {
        "MII Status" => link.status = Some(value.to_owned()),
        "Speed" => link.speed = Some(value.to_owned()),
        "Duplex" => link.duplex = Some(value.to_owned()),
        "Link Failure Count" => link.failures = value.parse().ok(),
        "Aggregator ID" => link.aggregator = value.parse().ok(),
        "system mac address" if of_partner => link.partner = Some(value.to_owned()),
        _ => {}
    }
}
