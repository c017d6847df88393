//! Lanes that are plain directories, in which nothing is left to land.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use forkhestra_core::id::{CommitId, LaneNumber};
use forkhestra_core::machine::{LanesEffect, LanesInput, RunState, Workplace};
use forkhestra_engine::process::ChildProcesses;
use forkhestra_engine::{LaneService, WorkplaceLocation};

/// Lanes in the directory `lanes` of a project.
pub(crate) struct ProbeLanes(pub(crate) PathBuf);

impl ProbeLanes {
    fn directory(&self, lane: LaneNumber) -> PathBuf {
        self.0.join("lanes").join(lane.to_string())
    }
}

impl LaneService for ProbeLanes {
    fn perform(&self, effect: LanesEffect, _: &Arc<ChildProcesses>) -> Option<LanesInput> {
        match effect {
            LanesEffect::BeginIntegration { .. } => {
                Some(LanesInput::IntegrationBegun { commit: CommitId::new("0".repeat(40)) })
            }
            LanesEffect::OpenLane { lane, .. } => {
                let path = self.directory(lane);
                Some(match fs::create_dir_all(&path) {
                    Ok(()) => {
                        let path = path.to_string_lossy().into_owned();
                        LanesInput::LaneOpened { lane, path, is_new: true }
                    }
                    Err(error) => LanesInput::LaneNotOpened { lane, why: error.to_string() },
                })
            }
            LanesEffect::AdvanceLane { lane, to, .. } => {
                Some(LanesInput::LaneAdvanced { lane, to, failure: None })
            }
            LanesEffect::FetchWork { lane, unit } => {
                Some(LanesInput::WorkFetched { lane, unit, work: Ok(None) })
            }
            LanesEffect::BringForward { to } => Some(LanesInput::BroughtForward { to }),
            LanesEffect::CheckOut { commit } => {
                let failure = fs::create_dir_all(self.0.join("queue")).err();
                let failure = failure.map(|error| error.to_string());
                Some(LanesInput::CheckedOut { commit, failure })
            }
            LanesEffect::MergeWork { .. }
            | LanesEffect::MoveIntegration { .. }
            | LanesEffect::ReturnTasks { .. }
            | LanesEffect::ParkWork { .. }
            | LanesEffect::CloseLanes => None,
        }
    }

    fn location(&self, place: Workplace, _: &RunState) -> Option<WorkplaceLocation> {
        let directory = match place {
            Workplace::Lane(lane) => self.directory(lane),
            Workplace::MergeQueue => self.0.join("queue"),
        };
        Some(WorkplaceLocation { directory, variables: Vec::new() })
    }
}
