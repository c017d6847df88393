//! What a place of work is made of: the user's own work tree, a lane, or the merge queue.

use std::ffi::OsString;
#[cfg(test)]
use std::path::Path;
use std::path::PathBuf;

use forkhestra_core::machine::{RunState, Workplace};

use crate::launch::agent_command::{RUN_TAG, run_ids, set};
use crate::ports::EnginePorts;
use crate::process::{KeeperCommand, LaneTag};
use crate::repository::git_program::LOCATION_OVERRIDES;
use crate::sandbox::SandboxHost;

/// The variable with the number of the lane.
const LANE: &str = "FORKHESTRA_LANE";

/// Where a lane or the merge queue is, and what processes there find in their environment in addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkplaceLocation {
    /// The working directory of agents in the clone.
    pub directory: PathBuf,
    /// Additional variables, such as the one of the task database.
    pub variables: Vec<(OsString, OsString)>,
}

/// What the processes of a place of work are started with. What the plan names (programs, prompts,
/// scripts of hooks and checks) is that of the user's work tree everywhere.
#[derive(Debug, Clone)]
pub(crate) struct WorkplaceSettings {
    /// None for the user's own work tree.
    pub(crate) place: Option<Workplace>,
    /// The working directory of agents.
    pub(crate) directory: PathBuf,
    /// What processes inherit.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// A directory for temporary files.
    pub(crate) scratch: PathBuf,
    /// A directory for files that outlive this process.
    pub(crate) persistent_directory: PathBuf,
    /// What keeps the processes of a lane together.
    pub(crate) keeper: Option<KeeperCommand>,
    /// What the sandboxes need to know.
    pub(crate) sandbox: SandboxHost,
}

impl WorkplaceSettings {
    /// The user's own work tree.
    pub(crate) fn of_run(ports: &EnginePorts, state: &RunState) -> Self {
        Self {
            place: None,
            directory: PathBuf::from(&state.plan.working_directory),
            environment: ports.environment.clone(),
            scratch: ports.scratch.clone(),
            persistent_directory: ports.persistent_directory.clone(),
            keeper: None,
            sandbox: ports.sandbox.clone(),
        }
    }

    /// Another place. Its files are in directories of their own, and git finds its repository even if
    /// variables of the user name another one.
    pub(crate) fn elsewhere(
        place: Workplace,
        location: WorkplaceLocation,
        ports: &EnginePorts,
        state: &RunState,
    ) -> Self {
        let tag = id_of(state, place);
        let mut environment = ports.environment.clone();
        environment.retain(|(name, _)| !LOCATION_OVERRIDES.iter().any(|known| name == known));
        for (name, value) in location.variables {
            environment.retain(|(known, _)| *known != name);
            environment.push((name, value));
        }
        environment.retain(|(name, _)| name != LANE);
        if let Workplace::Lane(lane) = place {
            set(&mut environment, LANE, lane.to_string());
        }
        // The id of the run follows when a process is started.
        let tags = run_ids(&environment, &tag);
        set(&mut environment, RUN_TAG, tags);
        let tag = LaneTag { name: RUN_TAG.into(), value: tag.into() };
        let (plan, directory) = (&state.plan, location.directory);
        let start = ports.sandbox.start.in_clone(plan, &ports.environment, &directory);
        let name = match place {
            Workplace::Lane(lane) => format!("lane-{lane}"),
            Workplace::MergeQueue => "queue".to_owned(),
        };
        Self {
            place: Some(place),
            directory,
            environment,
            scratch: ports.scratch.join(&name),
            persistent_directory: ports.persistent_directory.join(&name),
            keeper: ports.keeper.clone().map(|program| KeeperCommand { program, tag }),
            sandbox: SandboxHost { start, ..ports.sandbox.clone() },
        }
    }

    /// Who holds the tasks that agents of this place have claimed.
    pub(crate) fn task_holder(&self, state: &RunState) -> String {
        self.place.map_or_else(|| state.run.to_string(), |place| id_of(state, place))
    }

    /// The user's own work tree with these settings, for tests.
    #[cfg(test)]
    pub(crate) fn for_test(
        directory: &str,
        environment: &[(OsString, OsString)],
        scratch: &Path,
    ) -> Self {
        Self {
            place: None,
            directory: directory.into(),
            environment: environment.to_vec(),
            scratch: scratch.to_owned(),
            persistent_directory: scratch.join("kept"),
            keeper: None,
            sandbox: SandboxHost::default(),
        }
    }
}

/// What names a place of a run.
fn id_of(state: &RunState, place: Workplace) -> String {
    match place {
        Workplace::Lane(lane) => format!("{}/{lane}", state.run),
        Workplace::MergeQueue => format!("{}/queue", state.run),
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::id::LaneNumber;

    use super::*;
    use crate::aux_job::aux_job_command::tests::AuxJobCase;
    use crate::process::KeeperProgram;
    use crate::signal::SignalReceiver;

    fn settings(place: Workplace, inherited: &[(&str, &str)]) -> (AuxJobCase, WorkplaceSettings) {
        let case = AuxJobCase::new("a:3");
        let inherited = inherited.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let signals = SignalReceiver::install().expect("the test has a process of its own");
        let ports = EnginePorts {
            keeper: Some(KeeperProgram { path: "/keeper".into(), args: Vec::new() }),
            ..EnginePorts::new(signals, inherited, case.scratch())
        };
        let variables = vec![("FORGE_TASKS_DIR".into(), "/tasks".into())];
        let location = WorkplaceLocation { directory: "/clone".into(), variables };
        let settings = WorkplaceSettings::elsewhere(place, location, &ports, &case.state);
        (case, settings)
    }

    fn value<'a>(settings: &'a WorkplaceSettings, name: &str) -> Option<&'a str> {
        let mut found = settings.environment.iter().filter(|(known, _)| known == name);
        let value = found.next().and_then(|(_, value)| value.to_str());
        assert_eq!(found.next(), None, "{name} is there once");
        value
    }

    #[test]
    fn a_lane_has_files_variables_and_a_tag_of_its_own() {
        let lane = LaneNumber::from_index(1).expect("it is small");
        let (case, settings) = settings(
            Workplace::Lane(lane),
            &[
                ("FORKHESTRA_RUN_IDS", "outer"),
                ("FORKHESTRA_LANE", "7"),
                ("FORGE_TASKS_DIR", "/other"),
                ("GIT_DIR", "/repository/.git"),
                ("HOME", "/home"),
            ],
        );
        let run = case.state.run.as_str();
        let tag = format!("{run}/2");
        assert_eq!(settings.scratch, case.scratch().join("lane-2"));
        assert_eq!(settings.persistent_directory, case.scratch().join("kept/lane-2"));
        let outer = format!("outer:{tag}");
        for (name, expected) in [
            ("FORKHESTRA_RUN_IDS", Some(outer.as_str())),
            ("FORKHESTRA_LANE", Some("2")),
            ("FORGE_TASKS_DIR", Some("/tasks")),
            ("GIT_DIR", None),
            ("HOME", Some("/home")),
        ] {
            assert_eq!(value(&settings, name), expected, "{name}");
        }
        let keeper = settings.keeper.as_ref().expect("there is one");
        assert_eq!(keeper.tag, LaneTag { name: RUN_TAG.into(), value: tag.clone().into() });
        assert_eq!(settings.task_holder(&case.state), tag);
    }

    #[test]
    fn the_merge_queue_is_no_lane() {
        let (case, settings) = settings(Workplace::MergeQueue, &[("FORKHESTRA_LANE", "7")]);
        assert_eq!(value(&settings, "FORKHESTRA_LANE"), None);
        assert_eq!(settings.task_holder(&case.state), format!("{}/queue", case.state.run));
        assert_eq!(settings.scratch, case.scratch().join("queue"));
    }
}
