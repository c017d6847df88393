//! Finds the run that a file of `.agent-state/` belongs to.

use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;
use serde::Deserialize;

use super::iterations_log::IterationLogLine;
use crate::disk::reading;

/// The run that a file belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentifiedRun {
    pub run: RunId,
    /// The path of its journal when the file was written.
    pub journal: Option<PathBuf>,
}

/// The identifying members of a JSON view.
#[derive(Debug, Deserialize)]
struct ViewIdentity {
    id: String,
    journal: Option<PathBuf>,
}

/// The run that a file belongs to: by its content, or else by its name. `iterations.jsonl` belongs
/// to the run of its last line.
pub fn identify(path: &Path) -> Option<IdentifiedRun> {
    let name = path.file_name()?.to_str()?;
    match path.extension()?.to_str()? {
        "json" => identify_by_content(path).or_else(|| named(name)),
        "jsonl" => {
            let text = String::from_utf8(reading::read(path).ok()?).ok()?;
            let mut lines = text.lines().rev();
            let line: IterationLogLine<'_> =
                lines.find_map(|line| serde_json::from_str(line).ok())?;
            let run = RunId::parse(line.run_id).ok()?;
            Some(with_journal(path, run))
        }
        "md" => named(name).map(|found| with_journal(path, found.run)),
        _ => None,
    }
}

fn identify_by_content(path: &Path) -> Option<IdentifiedRun> {
    let identity: ViewIdentity = serde_json::from_slice(&reading::read(path).ok()?).ok()?;
    Some(IdentifiedRun { run: RunId::parse(&identity.id).ok()?, journal: identity.journal })
}

/// Parses `chain-<id>.json`, `run-<id>-<step>.json` or `summary-<id>.md`.
fn named(name: &str) -> Option<IdentifiedRun> {
    let (stem, _) = name.rsplit_once('.')?;
    let mut parts = stem.split('-');
    let kind = parts.next()?;
    let run = RunId::parse(parts.next()?).ok()?;
    matches!(kind, "chain" | "run" | "summary").then_some(IdentifiedRun { run, journal: None })
}

/// Adds the path of the journal from the chain's file beside it.
fn with_journal(path: &Path, run: RunId) -> IdentifiedRun {
    let beside = path.with_file_name(super::chain_file(&run));
    identify_by_content(&beside).unwrap_or(IdentifiedRun { run, journal: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_identify_the_run() {
        let run = RunId::parse("abcd1234").expect("an id");
        for name in ["chain-abcd1234.json", "run-abcd1234-12.json", "summary-abcd1234.md"] {
            assert_eq!(named(name).map(|found| found.run), Some(run.clone()), "{name}");
        }
        for name in ["chain.json", "chain-.json", "chain-ABCD1234.json", "notes-abcd1234.md", "x"] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
