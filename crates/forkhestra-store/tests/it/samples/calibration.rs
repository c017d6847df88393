//! Sample events about calibration and the programs of checks.

use forkhestra_core::event::EventKind;
use forkhestra_core::plan::PinnedProgram;

use super::checks::passed;

pub(super) fn kinds() -> Vec<EventKind> {
    let found = PinnedProgram {
        name: "cargo".to_owned(),
        path: Some("/usr/bin/cargo".to_owned()),
        stamp: "1-2-3-4.5-6.7".to_owned(),
        digest: Some("ab".repeat(32)),
    };
    let missing =
        PinnedProgram { name: "just".to_owned(), path: None, stamp: String::new(), digest: None };
    vec![
        EventKind::ProgramsRecorded { programs: vec![found, missing] },
        EventKind::Calibrated { step: 1, checks: vec![passed()] },
    ]
}
