//! The fallback of a step: the command line decides, then the step, then the chain. It is the agent
//! of the step with another back-end. What belongs to the primary back-end alone (its model, its
//! arguments, its variables) is not passed on; a setting that the other one cannot honour is refused.

use super::step_fallback::StepFallback;
use crate::built_in;
use crate::config::{
    AgentDirectory, AgentSetting, Backend, Billing, ChainEntry, ConfigEntry, ConfigLayer,
    FallbackChoice, SettingProblem,
};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::{Span, Spanned};
use crate::plan::agent::overlay;
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn, EnvVars, PlanAgent};
use crate::plan::agent::priced_model::priced_model;
use crate::plan::host_environment::HostEnvironment;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::types::PlanStep;
use crate::plan::value_origin::ValueOrigin;
use crate::text;

/// The option of the command line.
const FLAG: &str = "--fallback";

/// A back-end that is to take over, and where it is named.
#[derive(Clone, Copy)]
struct RequestedFallback<'a> {
    backend: Backend,
    /// The file and the position; none on the command line.
    written: Option<(&'a ConfigLayer, Span)>,
}

/// Why a step has no fallback.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FallbackObstacle {
    /// Its agent is a program of the user.
    Program,
    /// A recording replaces its agent.
    Recording,
    /// Its agent runs on that back-end.
    SameBackend,
}

impl<'a> RequestedFallback<'a> {
    /// What a config file names; none for `off`.
    fn of_file(layer: &'a ConfigLayer, named: &Spanned<FallbackChoice>) -> Option<Self> {
        let backend = named.value.backend()?;
        Some(Self { backend, written: Some((layer, named.span)) })
    }

    fn source(self) -> ValueOrigin {
        match self.written {
            Some((layer, span)) => ValueOrigin::file(layer, span),
            None => ValueOrigin::Flag(FLAG.into()),
        }
    }

    /// The request as the user wrote it.
    fn text(self) -> String {
        let word = self.backend.word();
        match self.written {
            Some(_) => format!("`\"fallback\": \"{word}\"`"),
            None => format!("`{FLAG} {word}`"),
        }
    }

    fn place(self, diagnostic: Diagnostic, label: &str) -> Diagnostic {
        match self.written {
            Some((layer, span)) => diagnostic.at(&layer.source, span, label),
            None => diagnostic,
        }
    }
}

impl PlanBuilder<'_> {
    /// Gives steps their fallback. A request for several steps applies to those that can have one.
    pub(crate) fn resolve_fallbacks<'s>(
        &mut self,
        drafts: &[StepDraft<'_>],
        chain: Option<ConfigEntry<'_, ChainEntry>>,
        steps: impl Iterator<Item = &'s mut PlanStep>,
    ) {
        let typed = self.request.fallback;
        if typed == Some(FallbackChoice::Off) {
            steps.for_each(|step| step.fallback = None);
            return;
        }
        let typed = typed.and_then(FallbackChoice::backend);
        let typed = typed.map(|backend| RequestedFallback { backend, written: None });
        // A replay starts no agent that could meet a limit.
        let is_replay = self.request.replay.is_some();
        let chain_fallback = chain.filter(|_| !is_replay).and_then(|chain| {
            let named = chain.entry.fallback.as_ref()?;
            RequestedFallback::of_file(chain.layer, named)
        });
        let (mut without, mut has_any) = (Vec::new(), false);
        for (draft, step) in drafts.iter().zip(steps) {
            let named = draft.in_config().filter(|_| typed.is_none() && !is_replay);
            let named = named.and_then(|(layer, _, step)| Some((layer, step.fallback.as_ref()?)));
            let own = named.map(|(layer, named)| RequestedFallback::of_file(layer, named));
            // A step may turn off the fallback of its chain.
            let Some(requested) = own.unwrap_or_else(|| typed.or(chain_fallback)) else { continue };
            let own = own.flatten();
            match (obstacle(step, requested.backend), own) {
                (None, _) => {
                    has_any = true;
                    step.fallback = Some(Box::new(self.fallback(step, requested)));
                }
                (Some(obstacle), Some(requested)) => {
                    self.report(unusable_fallback(step, requested, obstacle));
                }
                (Some(obstacle), None) => {
                    without.push((step.number, obstacle, reason(step, obstacle)));
                }
            }
        }
        if has_any {
            self.refuse_recording_with_fallback();
        }
        if let Some(requested) = typed.or(chain_fallback) {
            self.report_steps_without_fallback(requested, &without, has_any);
        }
    }

    /// Refuses to record steps of which one has a fallback.
    pub(crate) fn refuse_recording_with_fallback(&mut self) {
        if self.request.record.is_some() {
            self.report(recorded_with_fallback());
        }
    }

    /// Names the steps to which a request for all steps does not apply.
    fn report_steps_without_fallback(
        &mut self,
        requested: RequestedFallback<'_>,
        without: &[(usize, FallbackObstacle, String)],
        has_any: bool,
    ) {
        let reasons: Vec<String> =
            without.iter().map(|(number, _, reason)| format!("step {number}: {reason}")).collect();
        if reasons.is_empty() {
            return;
        }
        let text = requested.text();
        if has_any {
            let message = format!("{text} does not apply everywhere: {}", reasons.join("; "));
            let hint = "the other steps wait at a usage limit";
            let warning = Diagnostic::warning(message).hint(hint);
            self.report(requested.place(warning, "not for every step"));
        } else {
            let message = format!("{text} has no effect: {}", reasons.join("; "));
            let error = Diagnostic::error(message).hint(remedy(without[0].1, requested.backend));
            self.report(requested.place(error, "no step can use it"));
        }
    }

    /// Makes the recorded fallback of a step again, since another back-end runs its agent.
    pub(crate) fn renew_fallback(&mut self, step: &mut PlanStep) {
        let Some(recorded) = step.fallback.take() else { return };
        let backend = recorded.agent.kind.direct().map(|direct| direct.backend);
        let Some(backend) = backend.filter(|backend| obstacle(step, *backend).is_none()) else {
            return;
        };
        let requested = RequestedFallback { backend, written: None };
        let mut renewed = self.fallback(step, requested);
        renewed.source = recorded.source;
        step.fallback = Some(Box::new(renewed));
    }

    /// The agent of a step with another back-end.
    fn fallback(&mut self, step: &PlanStep, requested: RequestedFallback<'_>) -> StepFallback {
        self.report_settings_unknown_to_fallback(step, requested.backend);
        self.warn_of_arguments_not_passed(step, requested.backend);
        let agent = agent_on(&step.agent, requested.backend, self.host);
        let priced = priced_model(&agent.kind, &[], self.host, &self.layers.prices());
        StepFallback::new(agent, priced, requested.source())
    }

    /// Reports the settings of an agent that the other back-end cannot honour: ignoring them could
    /// allow what the user forbids. A model is not passed on.
    fn report_settings_unknown_to_fallback(&mut self, step: &PlanStep, backend: Backend) {
        let entries = overlay::entries(&step.agent, self.layers, self.host);
        let passed =
            AgentSetting::ALL.into_iter().filter(|setting| *setting != AgentSetting::Model);
        for setting in passed {
            let nearest = entries.nearest_first().find(|e| e.entry.span_of(setting).is_some());
            let Some(ConfigEntry { layer, name, entry }) = nearest else { continue };
            for problem in SettingProblem::find(entry, setting, backend) {
                let index = problem.index.map(|index| format!("[{index}]")).unwrap_or_default();
                let path = overlay::path_of(&name.value, setting.key());
                let (title, number) = (backend.title(), step.number);
                self.report(
                    Diagnostic::error(format!(
                        "step {number} cannot fall back to {title}: `{path}{index}` {}",
                        problem.message
                    ))
                    .at(&layer.source, problem.span, problem.label)
                    .maybe_hint(problem.hint)
                    .hint(OTHER_AGENT_HINT),
                );
            }
        }
    }

    fn warn_of_arguments_not_passed(&mut self, step: &PlanStep, backend: Backend) {
        if step.args.is_empty() {
            return;
        }
        let args: Vec<String> = step.args.iter().map(|arg| format!("`{}`", arg.value)).collect();
        let verb = if args.len() == 1 { "is" } else { "are" };
        let message = format!(
            "step {}: {} {verb} not passed to {}, the fallback: arguments belong to one agent program",
            step.number,
            text::join_with_and(&args),
            backend.title()
        );
        self.report(Diagnostic::warning(message).hint(OTHER_AGENT_HINT));
    }
}

/// What can be done where the same agent cannot be used with another back-end.
const OTHER_AGENT_HINT: &str =
    "for another back-end with settings of its own, use another agent: \"NAME:20 else OTHER:20\"";

/// Why the agent of a step cannot fall back to a back-end, if it cannot.
fn obstacle(step: &PlanStep, backend: Backend) -> Option<FallbackObstacle> {
    match step.agent.kind.direct() {
        _ if step.agent.replay.is_some() => Some(FallbackObstacle::Recording),
        None => Some(FallbackObstacle::Program),
        Some(direct) => (direct.backend == backend).then_some(FallbackObstacle::SameBackend),
    }
}

fn reason(step: &PlanStep, obstacle: FallbackObstacle) -> String {
    let name = &step.agent.name;
    match obstacle {
        FallbackObstacle::Program => {
            format!("`{name}` is a program of its own, which no other agent program replaces")
        }
        FallbackObstacle::Recording => format!("`{name}` is a recording, which uses no account"),
        FallbackObstacle::SameBackend => {
            let title = step.agent.kind.direct().map_or("it", |direct| direct.backend.title());
            format!("`{name}` is run by {title} itself")
        }
    }
}

fn remedy(obstacle: FallbackObstacle, named: Backend) -> String {
    match obstacle {
        FallbackObstacle::Program => {
            "a fallback is for built-in agents, agents with a system prompt, and `claude`, `codex`, \
             `gemini` or `opencode` without arguments of their own"
                .to_owned()
        }
        FallbackObstacle::Recording => "remove the fallback".to_owned(),
        FallbackObstacle::SameBackend => {
            let others = Backend::ALL.into_iter().filter(|backend| *backend != named);
            let words: Vec<&str> = others.map(Backend::word).collect();
            format!("name another one: {}", text::join_with_or(&text::quoted(&words)))
        }
    }
}

/// The error about the fallback of a single step.
fn unusable_fallback(
    step: &PlanStep,
    requested: RequestedFallback<'_>,
    obstacle: FallbackObstacle,
) -> Diagnostic {
    let (text, number) = (requested.text(), step.number);
    let why = reason(step, obstacle);
    let error = Diagnostic::error(format!("{text} of step {number} has no effect: {why}"));
    requested.place(error, "nothing to fall back to").hint(remedy(obstacle, requested.backend))
}

/// A recording has one agent program for each step.
fn recorded_with_fallback() -> Diagnostic {
    Diagnostic::error(
        "`--record` cannot be used with a fallback: a recording of a step has one agent program",
    )
    .hint("to record without the fallback: `--fallback off`")
}

/// An agent with another back-end.
fn agent_on(agent: &PlanAgent, backend: Backend, host: &dyn HostEnvironment) -> PlanAgent {
    let mut agent = agent.clone();
    let tools_are_adjusted = agent.adjusted.contains_key(AgentSetting::AllowedTools.key());
    let of_built_in = built_in::agent(&agent.name).filter(|_| agent.source == ValueOrigin::BuiltIn);
    if let AgentKind::Direct(direct) = &mut agent.kind {
        let first = direct.backend;
        let command = host.agent_program(backend);
        let location = host.locate(&command);
        let env = direct.env.0.iter().filter(|(name, _)| !belongs_to(name, first));
        let env = EnvVars(env.map(|(name, value)| (name.clone(), value.clone())).collect());
        let allowed_tools = match of_built_in {
            Some(built_in) if !tools_are_adjusted => built_in
                .allowed_tools(backend)
                .map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect()),
            _ => direct.allowed_tools.clone(),
        };
        *direct = DirectSpawn {
            system_prompt: direct.system_prompt.clone(),
            model: of_built_in.and(backend.facts().models.built_in).map(str::to_owned),
            max_turns: direct.max_turns,
            allowed_tools,
            disallowed_tools: direct.disallowed_tools.clone(),
            permissions: direct.permissions,
            billing: Billing::default(),
            env,
            ..DirectSpawn::new(backend, command, location)
        };
    }
    let not_passed = [AgentSetting::Model.key(), AgentSetting::Billing.key(), overlay::BACKEND];
    agent.adjusted.retain(|key, _| !not_passed.contains(&key.as_str()));
    agent
}

/// Whether a variable belongs to a back-end: it names its program, its settings or its account.
fn belongs_to(variable: &str, backend: Backend) -> bool {
    let facts = backend.facts();
    let directory = |directory| match directory {
        AgentDirectory::Own { variable, .. } => variable,
        AgentDirectory::Xdg { .. } => None,
    };
    let named = [
        Some(facts.path_variable),
        facts.login.key_variable,
        facts.settings.model_variable,
        facts.config_variable,
        directory(facts.login.directory),
        directory(facts.settings.directory),
    ];
    let vendor = |name: &str| name.split('_').next().unwrap_or_default().to_owned();
    let is_of_vendor = |known: &str| vendor(known) == vendor(variable);
    let mut known = named.into_iter().flatten().chain(facts.login.variables.iter().copied());
    known.any(|known| known == variable || is_of_vendor(known))
}
