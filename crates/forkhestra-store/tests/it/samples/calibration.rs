//! Sample events of version 2.2: calibration, the programs of checks, and sandboxes of a resumed run.

use forkhestra_core::event::{BaselineDigests, EventKind, LimitChanges, Observation};
use forkhestra_core::plan::PinnedProgram;

use super::checks::passed;
use crate::temporary_dir::run_id;

pub(super) fn kinds() -> Vec<EventKind> {
    let found = PinnedProgram {
        name: "cargo".to_owned(),
        path: Some("/usr/bin/cargo".to_owned()),
        stamp: "1-2-3-4.5-6.7".to_owned(),
        digest: Some("ab".repeat(32)),
    };
    let missing =
        PinnedProgram { name: "just".to_owned(), path: None, stamp: String::new(), digest: None };
    let sandboxes = serde_json::json!([null, {
        "value": {
            "requested": "auto",
            "level": "workspace",
            "mechanism": "bubblewrap",
            "writable": ["~/notes"],
            "hosts": ["git.example.org"],
            "env": ["DATABASE_URL"],
        },
        "source": "--writable",
    }]);
    vec![
        EventKind::ProgramsRecorded { programs: vec![found, missing] },
        EventKind::StepStarted {
            instead_of: None,
            step: 1,
            observation: Observation {
                open_criteria: [("TASK-3".to_owned(), 2)].into(),
                baselines: Some(BaselineDigests {
                    protected: Some("cd".repeat(32)),
                    uncommitted: Some("ef".repeat(32)),
                }),
                ..Observation::default()
            },
        },
        EventKind::Calibrated { step: 1, checks: vec![passed()] },
        EventKind::RunResumed {
            run: run_id(7),
            program: "0.3.0".to_owned(),
            changes: LimitChanges::default(),
            moved_to: None,
            sandboxes: Some(serde_json::from_value(sandboxes).expect("they are sandboxes")),
        },
    ]
}
