//! Runs the chain `c` of the config in a directory.

mod probe_host;
mod probe_lanes;
mod probe_reporter;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::config::{self, ConfigLayer, ConfigLayerKind, ConfigLayers};
use forkhestra_core::event::{
    CompletionSignal, Event, EventKind, IterationReport, LimitChanges, Observation, OutputSummary,
    ProcessEnd, Verdict,
};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::machine::{Machine, RunState};
use forkhestra_core::plan::{self, Plan, PlanRequest, RunTarget};
use forkhestra_core::policy::GracePeriods;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::process::{
    ChildProcesses, GuardLink, GuardRole, KEEPER_VERB, KeeperProgram, split,
};
use forkhestra_engine::signal::SignalReceiver;
use forkhestra_engine::{EnginePorts, RUN_TAG, now};

use self::probe_host::{ProbeDirectory, ProbeHost};
use self::probe_lanes::ProbeLanes;
use self::probe_reporter::{ProbeReporter, print_state};
use crate::{exit_code, print_line};

/// Runs the chain from its beginning. With `unchecked`, it starts after the first agent has ended
/// and before any of its work has been checked.
pub(crate) fn run(directory: &OsString, unchecked: bool) -> io::Result<ExitCode> {
    match split()? {
        GuardRole::Runner(guard) => run_below(guard, Path::new(directory), unchecked),
        GuardRole::Guard(report) => {
            let any = ChildProcesses::default().has_any_process();
            print_line(&format!(
                "guard: {}, left {:?}, any process {any}",
                report.runner, report.left
            ))?;
            Ok(exit_code(&report.runner))
        }
    }
}

fn run_below(guard: GuardLink, directory: &Path, unchecked: bool) -> io::Result<ExitCode> {
    let machine = machine(plan(directory)?, unchecked);
    print_line(&format!("runner {} guard {}", rustix::process::getpid(), guard.guard_pid()))?;
    let environment = env::vars_os().filter(|(name, _)| name != RUN_TAG).collect();
    let signals = SignalReceiver::install_in_runner(&guard)?;
    let place = ProbeDirectory(directory.to_owned());
    let ports = EnginePorts {
        guard: Some(guard),
        output_sink: Arc::new(place.clone()),
        logs: Box::new(place),
        keeper: Some(KeeperProgram { path: env::current_exe()?, args: vec![KEEPER_VERB.into()] }),
        lanes: Arc::new(ProbeLanes(directory.to_owned())),
        ..EnginePorts::new(signals, environment, directory.join("scratch"))
    };
    let state =
        forkhestra_engine::run(machine, ports, &mut ProbeReporter).map_err(io::Error::other)?;
    print_state(&state)?;
    Ok(state.end.map_or(ExitCode::FAILURE, |end| ExitCode::from(end.exit_code())))
}

fn plan(directory: &Path) -> io::Result<Plan> {
    let text = fs::read_to_string(directory.join("chains.json"))?;
    let reading = config::read("chains.json", text.into());
    let config = reading.config.ok_or_else(|| io::Error::other("the config is wrong"))?;
    let layer = ConfigLayer { kind: ConfigLayerKind::Project, source: reading.source, config };
    let layers = ConfigLayers { files: vec![layer], looked_for: Vec::new() };
    let what = RunTarget::Chain("c".to_owned());
    let request = PlanRequest::new(what, directory.to_string_lossy().into_owned());
    let planned = plan::build(&request, &layers, &ProbeHost);
    planned.map(|planned| planned.plan).map_err(|all| io::Error::other(all[0].message.clone()))
}

fn machine(plan: Plan, unchecked: bool) -> Machine {
    // Unique among the running probes.
    let run = RunId::from_random(u64::from(std::process::id()));
    let grace_periods = GracePeriods {
        before_kill: Duration::from_millis(300),
        for_leftovers: Duration::from_millis(100),
        before_leftover_kill: Duration::from_millis(100),
        ..GracePeriods::default()
    };
    if !unchecked {
        return Machine::new(RunState::new(run, plan), "probe", grace_periods, now());
    }
    let mut state = RunState::new(run, plan);
    for event in recorded() {
        state.apply(&event).expect("this is how runs begin");
    }
    Machine::resume(state, LimitChanges::default(), "probe", grace_periods, now())
}

/// The events of a run that was killed while the work of its first agent was checked.
fn recorded() -> Vec<Event> {
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let report = IterationReport {
        closing_text: None,
        verdict: Verdict::Complete(CompletionSignal::ExitCode),
        end: Some(ProcessEnd::Exited(0)),
        duration: Duration::ZERO,
        observation: Observation::default(),
        output: OutputSummary::default(),
        stream_summary: None,
        spend: None,
        checks: Vec::new(),
    };
    let kinds = [
        EventKind::StepStarted { step: 1, observation: Observation::default(), instead_of: None },
        EventKind::IterationStarted { unit, fallback: None },
        EventKind::AgentStarted { unit, pid: 1, prompt: None },
        EventKind::AgentFinished { unit, report },
    ];
    let event = |kind| Event::new(Timestamp::from_milliseconds(0), Duration::ZERO, kind);
    kinds.into_iter().map(event).collect()
}
