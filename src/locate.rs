//! Which command blinks a disk's slot: the one of the tool that reads its controller here.

use raidmond_adapters::{Act, Adapter, Mutation, registry};
use raidmond_core::incident::Locator;
use raidmond_core::model::Disk;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Tools found, by family: "storcli" → "perccli64".
#[derive(Debug, Clone, Default)]
pub struct Tools(Arc<Mutex<BTreeMap<String, String>>>);

impl Tools {
    pub fn found(&self, family: &str, tool: &str) {
        let mut tools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tools.insert(family.to_owned(), tool.to_owned());
    }

    pub fn locator(&self) -> Locator {
        let tools = self.clone();
        Arc::new(move |family, disk| tools.command(family, disk))
    }

    fn command(&self, family: &str, disk: &Disk) -> Option<String> {
        let adapter = registry::by_family(family)?;
        let tool = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(family).cloned();
        let tool = tool.or_else(|| Some((*adapter.tools().first()?.names.first()?).to_owned()))?;
        let blink = |disk: String| command(adapter, &tool, &Mutation::Locate { disk, on: true });
        // Some tools count by slot, some by an id of their own.
        let by_id = || blink(format!("{}/{}", disk.at.root(), disk.device_id.as_deref()?));
        blink(disk.at.to_string()).or_else(by_id).map(|argv| for_people(&argv))
    }
}

fn command(adapter: &dyn Adapter, tool: &str, mutation: &Mutation) -> Option<Vec<String>> {
    match adapter.maintenance()?.command(tool, mutation) {
        Ok(Act::Command(argv)) => Some(argv),
        _ => None,
    }
}

/// Without the words that only a program needs.
fn for_people(argv: &[String]) -> String {
    let technical = |w: &&String| ["j", "nolog", "-nolog"].contains(&w.to_ascii_lowercase().as_str());
    argv.iter().filter(|w| !technical(w)).map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::model::Path;

    #[test]
    fn the_command_is_the_found_tools() {
        let tools = Tools::default();
        let disk = Disk { at: Path::from("c0/32:5"), ..Disk::default() };
        tools.found("storcli", "perccli64");
        assert_eq!(tools.command("storcli", &disk).as_deref(), Some("perccli64 /c0/e32/s5 start locate"));
        assert_eq!(tools.command("kernel", &disk), None);
    }
}
