use super::*;

fn serial(s: &str) -> Vec<Alias> {
    Alias::serial(s).into_iter().collect()
}

fn disk<'a>(path: &'a Path, parent: ObjectId, aliases: &'a [Alias]) -> Claim<'a> {
    Claim { kind: ObjectKind::Disk, space: Space::Megaraid, path, parent: Some(parent), aliases }
}

fn controller(registry: &mut Registry, path: &str, sn: &str) -> ObjectId {
    let aliases = serial(sn);
    let path = Path::from(path);
    let claim =
        Claim { kind: ObjectKind::Controller, space: Space::Megaraid, path: &path, parent: None, aliases: &aliases };
    registry.resolve(&claim).0
}

#[test]
fn a_disk_keeps_its_id_when_it_moves_and_when_controllers_are_renumbered() {
    let mut registry = Registry::default();
    let c0 = controller(&mut registry, "c0", "CARDAAAA");
    let (slot5, slot6) = (Path::from("c0/32:5"), Path::from("c0/32:6"));
    let (id, first) = registry.resolve(&disk(&slot5, c0, &serial("DISKAAAA")));
    assert!(first.new);
    assert_eq!(registry.resolve(&disk(&slot6, c0, &serial("DISKAAAA"))).0, id);
    let c0_again = controller(&mut registry, "c1", "CARDAAAA");
    assert_eq!(c0_again, c0);
    let moved = Path::from("c1/32:6");
    assert_eq!(registry.resolve(&disk(&moved, c0, &[])).0, id, "no serial any more: its slot carries it");
}

#[test]
fn another_serial_in_the_slot_is_another_disk() {
    let mut registry = Registry::default();
    let c0 = controller(&mut registry, "c0", "CARDAAAA");
    let slot = Path::from("c0/32:5");
    let (old, _) = registry.resolve(&disk(&slot, c0, &serial("DISKAAAA")));
    let (new, resolved) = registry.resolve(&disk(&slot, c0, &serial("DISKBBBB")));
    assert_ne!(old, new);
    assert_eq!(resolved.displaced, Some(old));
    assert_eq!(registry.find(ObjectKind::Disk, None, &slot, &[]), Some(new));
}

#[test]
fn two_objects_proven_the_same_become_the_older() {
    let mut registry = Registry::default();
    let c0 = controller(&mut registry, "c0", "CARDAAAA");
    let (slot, did) = (Path::from("c0/32:5"), Path::from("c0/d21"));
    let (by_serial, _) = registry.resolve(&disk(&slot, c0, &serial("DISKAAAA")));
    let wwn: Vec<Alias> = Alias::wwn("5000c500aabbccdd").into_iter().collect();
    let (by_wwn, _) = registry.resolve(&disk(&did, c0, &wwn));
    assert_ne!(by_serial, by_wwn);
    let both = [serial("DISKAAAA"), wwn].concat();
    let (id, resolved) = registry.resolve(&disk(&slot, c0, &both));
    assert_eq!((id, resolved.merged), (by_serial, vec![by_wwn]));
}

#[test]
fn a_shared_wwn_does_not_unite_different_serials() {
    let mut registry = Registry::default();
    let c0 = controller(&mut registry, "c0", "CARDAAAA");
    let wwn: Vec<Alias> = Alias::wwn("5000c500aabbccdd").into_iter().collect();
    let (one, _) = registry.resolve(&disk(&Path::from("c0/32:1"), c0, &[serial("DISKAAAA"), wwn.clone()].concat()));
    let (two, _) = registry.resolve(&disk(&Path::from("c0/32:2"), c0, &[serial("DISKBBBB"), wwn].concat()));
    assert_ne!(one, two);
}
