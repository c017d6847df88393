//! Rendering of a plan for `--dry-run`, as text and JSON.

use forkhestra_core::config::OnHookError;
use forkhestra_core::limit::Limit;
use forkhestra_core::plan::{AgentKind, Plan, PlanStep, ValueOrigin};
use forkhestra_core::text;
use typeset::style::{DIM, NAME, WARNING, paint};
use typeset::text::{escaped_json, visible};

use super::lanes::{self, LaneReport};
use super::{flow_tree, step};
use crate::cli::args::forkhestra_cli::OutputArgs;
use crate::cli::started_program::StartedProgram;
use crate::project::project_location::ProjectLocation;
use crate::report::text::spend;

/// How much a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// The plan without header and footer.
    Quiet,
    /// Values that were configured or given.
    Normal,
    /// All values and their origin.
    Verbose,
}

impl Verbosity {
    /// Detail level that the options select.
    pub(crate) fn of(args: &OutputArgs) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Verbose,
            (false, false) => Self::Normal,
        }
    }
}

/// One entry of a plan.
pub(crate) struct DryRunEntry {
    key: &'static str,
    lines: Vec<String>,
    /// Always shown after the value.
    note: Option<String>,
    /// Shown only in verbose mode.
    detail: Option<String>,
    sources: Vec<String>,
    is_warning: bool,
    /// Lines are meant to be copied and get no indentation.
    is_for_copying: bool,
}

impl DryRunEntry {
    /// Creates an entry with a value of one line.
    pub(crate) fn new(key: &'static str, value: impl Into<String>) -> Self {
        Self::lines(key, vec![value.into()])
    }

    /// Creates an entry with a value of several lines.
    pub(crate) fn lines(key: &'static str, lines: Vec<String>) -> Self {
        let (note, detail, sources) = (None, None, Vec::new());
        Self { key, lines, note, detail, sources, is_warning: false, is_for_copying: false }
    }

    /// Creates an entry whose lines can be copied unchanged.
    pub(crate) fn for_copying(key: &'static str, lines: Vec<String>) -> Self {
        Self { is_for_copying: true, ..Self::lines(key, lines) }
    }

    /// Creates a warning.
    pub(crate) fn warning(text: &str) -> Self {
        Self { is_warning: true, ..Self::new("warning", text) }
    }

    /// Adds the origins of the value.
    pub(crate) fn from<'a>(mut self, sources: impl IntoIterator<Item = &'a ValueOrigin>) -> Self {
        self.sources.extend(sources.into_iter().map(|source| visible(&source.to_string())));
        self
    }

    /// Adds text after the last line of the value.
    pub(crate) fn suffixed(mut self, text: &str) -> Self {
        self.lines.last_mut().into_iter().for_each(|line| line.push_str(text));
        self
    }

    /// Adds a note that is shown at every detail level.
    pub(crate) fn note(self, note: &str) -> Self {
        Self { note: Some(note.to_owned()), ..self }
    }

    /// Adds a detail that is shown only in verbose mode.
    pub(crate) fn detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }

    /// Renders the entry as lines of text.
    pub(crate) fn render(&self, indent: &str, detail: Verbosity) -> String {
        let verbose = detail == Verbosity::Verbose;
        let mut behind: Vec<&str> = self.note.as_deref().into_iter().collect();
        if verbose {
            behind.extend(self.detail.as_deref());
            behind.extend(self.sources.iter().map(String::as_str));
        }
        let behind = match behind.as_slice() {
            [] => String::new(),
            behind => format!("  {}", paint(DIM, &format!("[{}]", behind.join(", ")))),
        };
        let key = if self.is_warning { paint(WARNING, self.key) } else { self.key.to_owned() };
        // Text shown in full begins on its own line.
        let (first, rest) = match self.lines.split_first() {
            Some((first, rest)) if !first.starts_with("| ") && !self.is_for_copying => {
                (format!(" {first}"), rest)
            }
            _ => (String::new(), self.lines.as_slice()),
        };
        let mut text = format!("{indent}{key}:{first}{behind}\n");
        let margin = if self.is_for_copying { String::new() } else { format!("{indent}  ") };
        for line in rest {
            text.push_str(&format!("{margin}{line}\n"));
        }
        text
    }
}

/// Renders the plan for a person, with the prefix of this program.
pub(crate) fn render(
    plan: &Plan,
    project: &ProjectLocation,
    program: StartedProgram,
    detail: Verbosity,
) -> String {
    let prefix = paint(DIM, program.prefix());
    let mut text = String::new();
    if detail != Verbosity::Quiet {
        text.push_str(&format!("{prefix} Dry run - would execute the following chain:\n\n"));
    }
    if plan.steps.is_empty() {
        text.push_str("  (no steps)\n");
    }
    let report = LaneReport::of(plan, project);
    match &plan.flow {
        Some(flow) => text.push_str(&flow_tree::render(flow, plan, project, detail, report)),
        None => text.extend(plan.steps.iter().map(|step| {
            let mut entries = lanes::of_step(report.as_ref(), step, plan);
            entries.extend(step::entries(step, plan, project, detail));
            let entries = entries.iter().map(|entry| entry.render("       ", detail));
            heading(step) + &entries.collect::<String>()
        })),
    }
    let entries: Vec<DryRunEntry> = run_entries(plan, detail);
    if !entries.is_empty() {
        text.push('\n');
        text.extend(entries.iter().map(|entry| entry.render("  ", detail)));
    }
    if detail != Verbosity::Quiet {
        text.push_str(&format!("\n{prefix} Dry run complete. No agents were executed.\n"));
    }
    text
}

/// The plan as JSON.
pub(crate) fn json(plan: &Plan) -> String {
    let text = serde_json::to_string_pretty(plan);
    let text = text.expect("a plan holds only strings, numbers and lists of them");
    escaped_json(&text).into_owned() + "\n"
}

fn heading(step: &PlanStep) -> String {
    let name = paint(NAME, &visible(&step.agent.name));
    format!("  {}. {name} - {}\n", step.number, mode(step))
}

/// How often a step runs its agent.
pub(super) fn mode(step: &PlanStep) -> String {
    match step.iterations {
        None => "run once".to_owned(),
        Some(max) => {
            let looping = format!("loop up to {}", text::count(max.get(), "iteration"));
            let lanes = step.lanes.map(|lanes| format!("{lanes} at a time"));
            match lanes.or_else(|| lanes::picked(step)) {
                Some(lanes) => format!("{looping}, {lanes}"),
                None => looping,
            }
        }
    }
}

/// Entries for the run as a whole.
fn run_entries(plan: &Plan, detail: Verbosity) -> Vec<DryRunEntry> {
    let mut entries = Vec::new();
    if plan.flow.is_some() || plan.has_lanes() {
        entries.push(flow_tree::bound(plan));
    }
    for hook in &plan.hooks {
        let mut value = format!("{}: {}", hook.value.on, visible(&hook.value.run));
        if hook.value.on_error == OnHookError::Abort && hook.value.on.can_end_the_run() {
            value.push_str(" (ends the run if it fails)");
        }
        let timeout =
            format!("timeout {}, on error {}", hook.value.timeout, hook.value.on_error.word());
        entries.push(DryRunEntry::new("hook", value).detail(timeout).from([&hook.source]));
    }
    entries.extend(step::limit("run time", &plan.limits.time, detail));
    entries.extend(step::limit("run cost", &plan.limits.cost, detail));
    let verbose = detail == Verbosity::Verbose;
    if let Some(path) = &plan.state_directory {
        entries.push(DryRunEntry::new("state directory", visible(path)));
    }
    if let Some(path) = &plan.record {
        entries.push(DryRunEntry::new("record", visible(path)));
    }
    if !plan.feedback || verbose {
        let feedback = if plan.feedback { "on" } else { "off" };
        entries.push(DryRunEntry::new("feedback of checks", feedback));
    }
    if !plan.snapshots || verbose {
        let snapshots = if plan.snapshots { "on" } else { "off" };
        entries.push(DryRunEntry::new("snapshots", snapshots));
    }
    if verbose && plan.steps.iter().any(|step| is_priced(step, plan)) {
        entries.push(DryRunEntry::new("prices", spend::source_of_prices(plan)));
    }
    if verbose && !plan.prices.is_empty() {
        let models: Vec<String> = plan.prices.keys().map(|model| visible(model)).collect();
        entries.push(DryRunEntry::new("own prices of", models.join(", ")));
    }
    if verbose {
        let chain = plan.chain.as_ref().unwrap_or(&plan.definition);
        entries.push(DryRunEntry::new("chain", visible(chain)).from([&plan.source]));
        entries.push(DryRunEntry::new("working directory", visible(&plan.working_directory)));
    }
    entries
}

/// Whether prices affect this step: it has a cost limit and a known agent program.
fn is_priced(step: &PlanStep, plan: &Plan) -> bool {
    let limits = [plan.limits.cost.value, step.limits.cost.value];
    let is_limited = limits.iter().any(|limit| *limit != Limit::Off);
    is_limited && matches!(step.agent.kind, AgentKind::Direct(_))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use forkhestra_core::check::CheckSpec;
    use forkhestra_core::config::{CheckWhen, ConfigLayers, OnCycle, OnProtectedChange};
    use forkhestra_core::dsl::Dsl;
    use forkhestra_core::hook::HookPoint;
    use forkhestra_core::limit::{HumanDuration, LimitQuantity};
    use forkhestra_core::plan::{
        self, CleanRoom, FileState, HostEnvironment, ModuleRunner, ModuleRunnerKind, PlanCheck,
        PlanHook, PlanRequest, ProgramLocation, Protection, RunTarget, Sourced,
    };
    use insta::assert_snapshot;

    use super::*;

    /// A host on which every program and file exists.
    struct DryRunHost;

    impl HostEnvironment for DryRunHost {
        fn locate(&self, program: &str) -> ProgramLocation {
            ProgramLocation::Found(format!("/bin/{program}"))
        }

        fn file(&self, _path: &str) -> FileState {
            FileState::Readable
        }

        fn prompt_file(&self, _path: &str) -> FileState {
            FileState::Readable
        }

        fn task_database(&self) -> Option<String> {
            None
        }
    }

    fn plan() -> Plan {
        let dsl = Dsl::parse("builder:20").expect("it is a chain");
        let request = PlanRequest::new(RunTarget::Dsl(dsl), "/work");
        plan::build(&request, &ConfigLayers::default(), &DryRunHost)
            .expect("everything is there")
            .plan
    }

    fn minutes(number: u32) -> Limit<HumanDuration> {
        Limit::At(HumanDuration::parse(&format!("{number}m")).expect("it is a time"))
    }

    fn shown(entries: &[DryRunEntry], detail: Verbosity) -> String {
        let text: String = entries.iter().map(|entry| entry.render("  ", detail)).collect();
        strip_str(&text).to_string()
    }

    #[test]
    fn a_step_says_how_and_where_it_is_checked_and_what_its_agent_may_not_do() {
        let mut plan = plan();
        let step = &mut plan.steps[0];
        assert_eq!(shown(&step::rules(step, Verbosity::Verbose), Verbosity::Verbose), "");
        let path = "/bin/node".to_owned();
        let check = PlanCheck {
            check: CheckSpec::Script("checks/green.ts".to_owned()),
            name: Some("green".to_owned()),
            when: CheckWhen::Always,
            timeout: minutes(10),
            must_fail_first: true,
            runner: Some(ModuleRunner { kind: ModuleRunnerKind::Node, path }),
        };
        let setup = Some("npm ci".to_owned());
        let keep = ["node_modules", "target"].map(str::to_owned).to_vec();
        let room = CleanRoom { setup, timeout: minutes(5), keep };
        step.clean_room = Some(Sourced::new(room, ValueOrigin::Flag("--clean-room".into())));
        let patterns = ["tests/**", ".ci/**"].map(str::to_owned).to_vec();
        let protection = Protection { patterns, on_change: OnProtectedChange::Allow };
        step.protect = Some(Sourced::new(protection, ValueOrigin::CommandLine));
        step.on_cycle = Some(Sourced::default(OnCycle::Stop));
        let entries = |detail| {
            let mut entries = vec![step::check(&Sourced::default(check.clone()))];
            entries.extend(step::rules(step, detail));
            shown(&entries, detail)
        };
        assert_snapshot!(entries(Verbosity::Normal), @"
        check: green: checks/green.ts, run by node, after every iteration, must fail before the first iteration
        clean room: checks run on what is committed, after `npm ci`, with node_modules and target kept
        protected: tests/**, .ci/** (changes are reported, and allowed)
        on a cycle: stop
        ");
        assert_snapshot!(entries(Verbosity::Verbose), @"
        check: green: checks/green.ts, run by node, after every iteration, must fail before the first iteration  [timeout 10m, /bin/node, default]
        clean room: checks run on what is committed, after `npm ci`, with node_modules and target kept  [timeout 5m, --clean-room]
        protected: tests/**, .ci/** (changes are reported, and allowed)  [command line]
        on a cycle: stop  [default]
        ");
    }

    #[test]
    fn hooks_a_recording_and_disabled_snapshots_are_shown() {
        let mut plan = plan();
        assert_eq!(shown(&run_entries(&plan, Verbosity::Normal), Verbosity::Normal), "");
        plan.snapshots = false;
        plan.record = Some("../recording".to_owned());
        for (on, on_error, run) in [
            (HookPoint::PostIteration, OnHookError::Continue, "./notify.sh"),
            (HookPoint::PostIteration, OnHookError::Abort, "./test.sh"),
            // The run is already over at this point.
            (HookPoint::OnComplete, OnHookError::Abort, "./party.sh"),
        ] {
            let (run, timeout) = (run.to_owned(), minutes(1));
            plan.hooks.push(Sourced::default(PlanHook { on, run, timeout, on_error }));
        }
        assert_snapshot!(shown(&run_entries(&plan, Verbosity::Normal), Verbosity::Normal), @"
        hook: post-iteration: ./notify.sh
        hook: post-iteration: ./test.sh (ends the run if it fails)
        hook: on-complete: ./party.sh
        record: ../recording
        snapshots: off
        ");
    }
}
