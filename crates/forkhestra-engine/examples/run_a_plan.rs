//! Runs a plan without the `forkhestra` program: a plan in, events out, a final state back.
//!
//! ```sh
//! cargo run -p forkhestra-engine --example run_a_plan
//! ```
//!
//! Events are printed as they happen. Nothing is stored: there is no journal, and the agent's
//! output is discarded.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use forkhestra_core::config::{self, ConfigLayer, ConfigLayerKind, ConfigLayers};
use forkhestra_core::dsl::Dsl;
use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::RunId;
use forkhestra_core::machine::{Machine, RunState};
use forkhestra_core::plan::{
    self, BuiltPlan, FileState, HostEnvironment, NotRunnableReason, Plan, PlanRequest,
    ProgramLocation, RunTarget,
};
use forkhestra_core::policy::GracePeriods;
use forkhestra_engine::process::{GuardLink, GuardRole, split};
use forkhestra_engine::signal::SignalReceiver;
use forkhestra_engine::{EnginePorts, EventSink, SinkError, now};

/// An agent that needs three iterations and prints the marker in the last one.
const CONFIG: &str = r#"{
  "agents": {
    "counter": {
      "command": "sh",
      "args": ["-c", "if [ $FORKHESTRA_ITERATION -ge 3 ]; then echo FORKHESTRA_COMPLETE; fi"],
    },
  },
  "chains": {},
}"#;

/// Forks first, as every program that runs agents should: one process runs them, and the other ends
/// everything if the first is killed.
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let guard = match split()? {
        GuardRole::Runner(guard) => guard,
        GuardRole::Guard(report) => {
            let code = if report.runner.is_success() { 0 } else { 1 };
            return Ok(ExitCode::from(code));
        }
    };
    let state = run(plan()?, Some(guard), &mut EventPrinter::default())?;
    Ok(state.end.map_or(ExitCode::FAILURE, |end| ExitCode::from(end.exit_code())))
}

/// Builds a plan from a config and a chain.
fn plan() -> Result<Plan, Box<dyn Error>> {
    let reading = config::read("chains.json", CONFIG.into());
    let config = reading.config.ok_or("the config is wrong")?;
    let layer = ConfigLayer { kind: ConfigLayerKind::Project, source: reading.source, config };
    let layers = ConfigLayers { files: vec![layer], looked_for: Vec::new() };

    let chain = Dsl::parse("counter:5").map_err(|_| "the chain is wrong")?;
    let directory = env::temp_dir().to_string_lossy().into_owned();
    let request = PlanRequest::new(RunTarget::Dsl(chain), directory);
    match plan::build(&request, &layers, &ExampleHost) {
        Ok(BuiltPlan { plan, .. }) => Ok(plan),
        Err(diagnostics) => Err(diagnostics[0].message.clone().into()),
    }
}

/// The host environment for this plan.
struct ExampleHost;

impl HostEnvironment for ExampleHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        match program {
            "sh" => ProgramLocation::Found("/bin/sh".to_owned()),
            _ => ProgramLocation::Missing(NotRunnableReason::NotOnPath),
        }
    }

    fn file(&self, _: &str) -> FileState {
        FileState::Missing
    }

    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Missing
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// Runs a plan to its end and returns the final state.
fn run(
    plan: Plan,
    guard: Option<GuardLink>,
    sink: &mut dyn EventSink,
) -> Result<RunState, Box<dyn Error>> {
    let state = RunState::new(RunId::from_random(42), plan);
    let machine = Machine::new(state, "example", GracePeriods::default(), now());
    let scratch = env::temp_dir().join("run_a_plan");
    let signals = match &guard {
        Some(guard) => SignalReceiver::install_in_runner(guard)?,
        None => SignalReceiver::install()?,
    };
    let ports =
        EnginePorts { guard, ..EnginePorts::new(signals, env::vars_os().collect(), scratch) };
    Ok(forkhestra_engine::run(machine, ports, sink)?)
}

/// Prints events. A real program records an event before it displays it.
#[derive(Default)]
struct EventPrinter {
    history: Option<RunHistory>,
}

impl EventSink for EventPrinter {
    fn record_event(&mut self, event: &Event) -> Result<(), SinkError> {
        let history = RunHistory::advance(&mut self.history, event)
            .map_err(|error| SinkError::NotRecorded(Box::new(error)))?;
        let Some(text) = event_line(event, &history.state) else { return Ok(()) };
        let time = event.elapsed.as_millis();
        // Without a reader, the run ends.
        writeln!(io::stdout(), "{time:>5} ms  {text}").map_err(|_| SinkError::OutputClosed)
    }
}

/// The line for an event, if it is printed.
fn event_line(event: &Event, state: &RunState) -> Option<String> {
    Some(match &event.kind {
        EventKind::RunStarted { run, plan, .. } => {
            format!("run {run} started: {}", plan.definition)
        }
        EventKind::IterationStarted { unit, .. } => format!("iteration {} started", unit.iteration),
        EventKind::CompletionRequested { by, .. } => {
            format!("completion requested: {}", by.as_str())
        }
        EventKind::IterationFinished { unit, report } => {
            let end = report.end.as_ref().map_or_else(String::new, ToString::to_string);
            format!("iteration {} finished: {end}", unit.iteration)
        }
        EventKind::StepFinished { step, end } => {
            let iterations = state.steps[step - 1].finished;
            format!("step {step} finished after {iterations} iterations: {}", end.as_str())
        }
        EventKind::RunFinished { end } => format!("run finished: exit code {}", end.exit_code()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_runs_until_its_agent_says_that_it_is_done() {
        let mut events: Vec<Event> = Vec::new();
        let plan = plan().expect("the example's own plan is right");
        let state = run(plan, None, &mut events).expect("the plan runs");
        let lines: Vec<String> =
            events.iter().filter_map(|event| event_line(event, &state)).collect();
        assert_eq!(
            lines,
            [
                "run a1000000 started: counter:5",
                "iteration 1 started",
                "iteration 1 finished: exit 0",
                "iteration 2 started",
                "iteration 2 finished: exit 0",
                "iteration 3 started",
                "completion requested: marker",
                "iteration 3 finished: exit 0",
                "step 1 finished after 3 iterations: marker",
                "run finished: exit code 0",
            ]
        );
    }
}
