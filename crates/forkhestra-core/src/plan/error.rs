//! All error messages about a request. Texts with single quotes around names are those of the
//! founding documents, which scripts may depend on.

use super::host_environment::{FileState, RecordedStep};
use crate::built_in;
use crate::check::{CheckSpec, FORMS_WITHOUT_AGENT};
use crate::config::{
    Backend, ChainEntry, ConfigEntry, ConfigLayer, ConfigLayerKind, ConfigLayers, EntryName,
    entry_hint,
};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::{Span, Spanned};
use crate::dsl::Dsl;
use crate::text;

/// The base of relative paths, for a file that does not exist.
pub(super) fn path_base_hint(state: &FileState) -> Option<String> {
    let hint = "paths are relative to the working directory (`--cwd`), not to the config file";
    (*state == FileState::Missing).then(|| hint.to_owned())
}

pub(super) fn unknown_chain(name: &str, layers: &ConfigLayers) -> Diagnostic {
    let message = match name {
        "" => "`--chain` needs the name of a chain".to_owned(),
        _ => format!("there is no chain called '{name}'"),
    };
    let is_ours =
        |chain: &ConfigEntry<'_, ChainEntry>| chain.layer.kind == ConfigLayerKind::BuiltIn;
    let (built_in, written): (Vec<_>, Vec<_>) = layers.chains().partition(is_ours);
    let names = |chains: &[ConfigEntry<'_, ChainEntry>]| -> Vec<String> {
        chains.iter().map(|chain| chain.name.value.clone()).collect()
    };
    let (built_in, written) = (names(&built_in), names(&written));
    let known = written.iter().chain(&built_in).map(String::as_str);
    let error = Diagnostic::error(message).maybe_hint(text::did_you_mean(name, known)).maybe_hint(
        name.contains("->").then(|| "leave `--chain` out to run a chain that is typed".to_owned()),
    );
    let files: Vec<&str> = layers.user_layers().map(ConfigLayer::file_name).collect();
    let error = match (files.as_slice(), written.as_slice()) {
        ([], _) => {
            let looked = text::join_with_and(&text::quoted(&layers.looked_for));
            error
                .hint(format!("there is no config file; looked for {looked}"))
                .hint("write chains into one of these, or name another file with `--config PATH`")
        }
        (_, []) => {
            let files = text::join_with_and(&text::quoted(&files));
            error.hint(format!("no chains are defined in {files}"))
        }
        _ => error.hint(format!("available chains: {}", written.join(", "))),
    };
    let built_in_note =
        (!built_in.is_empty()).then(|| format!("built-in chains: {}", built_in.join(", ")));
    error.maybe_hint(built_in_note)
}

pub(super) fn no_steps(layer: &ConfigLayer, steps: Span, chain: &str) -> Diagnostic {
    Diagnostic::error(format!("the chain '{chain}' has no steps"))
        .at(&layer.source, steps, "nothing to run")
        .hint("add a step: { \"agent\": \"builder\", \"iterations\": 10 }")
}

/// `--backend` applies only to built-in agents.
pub(super) fn unused_backend(backend: Backend) -> Diagnostic {
    let message =
        format!("`--backend {}` has no effect: no agent of the chain is built in", backend.word());
    Diagnostic::warning(message)
        .hint("an agent of the config file names its program by its own `backend`")
}

/// `--model` applies only to supported agent programs.
pub(super) fn model_without_effect(model: &str) -> Diagnostic {
    let message = format!(
        "`--model {model}` has no effect: every agent of the chain is a command of its own"
    );
    Diagnostic::error(message)
        .hint("`--model` is for built-in agents, and for agents that have a system prompt")
        .hint("give a program its own option after `--`: forkhestra AGENT -- --model NAME")
}

/// How to get the built-in agent that shares the name of a program.
pub(super) fn built_in_of_the_same_name(name: &str) -> Option<String> {
    let alias = built_in::agent(name)?.alias;
    (alias != name).then(|| format!("the built-in agent of this name is `{alias}`"))
}

/// Programs that share the names of built-in agents and are used. Each is a name and a path.
pub(super) fn programs_before_built_ins(programs: &[(String, String)]) -> Diagnostic {
    let alias = |name: &str| built_in::agent(name).map_or_else(String::new, |b| b.alias.to_owned());
    if let [(name, program)] = programs {
        let alias = alias(name);
        return Diagnostic::warning(format!(
            "`{name}` means the program `{program}`; the built-in agent is `{alias}`"
        ));
    }
    let names: Vec<&str> = programs.iter().map(|(name, _)| name.as_str()).collect();
    let aliases: Vec<String> = names.iter().map(|name| alias(name)).collect();
    let names = text::join_with_and(&text::quoted(&names));
    let aliases = text::join_with_and(&text::quoted(&aliases));
    Diagnostic::warning(format!("{names} mean programs on PATH; the built-in agents are {aliases}"))
}

/// A program that shares the name of a built-in agent and is not used.
pub(super) fn program_not_used(name: &str, program: &str, is_built_in_chain: bool) -> Diagnostic {
    let message = if is_built_in_chain {
        format!(
            "a program `{name}` is on PATH ({program}); the built-in chain uses the built-in agent"
        )
    } else {
        format!("`{name}` means the built-in agent, not the system program `{program}`")
    };
    Diagnostic::warning(message).hint(format!(
        "to use the program: \"{name}\": {{ \"command\": \"{name}\" }} under `agents` in the config file"
    ))
}

/// A chain is run by `--chain`; without it a name means an agent.
pub(super) fn chain_taken_for_agent(name: &str) -> Diagnostic {
    Diagnostic::warning(format!("no agent is called `{name}`, but a chain is"))
        .hint(format!("to run the chain: forkhestra --chain {name}"))
}

pub(super) fn missing_variable(
    layer: &ConfigLayer,
    span: Span,
    name: &str,
    agent: &str,
) -> Diagnostic {
    let message = format!("Variable '{name}' referenced in '{agent}' but not provided");
    Diagnostic::error(message)
        .at(&layer.source, place_of_variable(layer, span, name), "has no value")
        .hint(format!("give it a value on the command line: {name}=…"))
}

/// The position of the variable itself where no escape sequence hides it; `$${NAME}` is not one.
fn place_of_variable(layer: &ConfigLayer, span: Span, name: &str) -> Span {
    let written = format!("${{{name}}}");
    let raw = &layer.source.text[span.range()];
    let mut found = raw.match_indices(&written).filter(|(at, _)| !raw[..*at].ends_with('$'));
    found.next().map_or(span, |(at, _)| Span::new(span.start + at, span.start + at + written.len()))
}

/// `${feature}` in a text where `${FEATURE}` would be replaced.
pub(super) fn misspelled_variable(layer: &ConfigLayer, span: Span, name: &str) -> Diagnostic {
    let upper = name.to_uppercase().replace('-', "_");
    Diagnostic::warning(format!("`${{{name}}}` is not a variable; the agent gets it as it is"))
        .at(&layer.source, place_of_variable(layer, span, name), "not replaced")
        .hint(format!("names of variables are made of A-Z, 0-9 and _: `${{{upper}}}`"))
        .hint(format!("to write it as it is without this warning: `$${{{name}}}`"))
}

pub(super) fn unused_variable(name: &str) -> Diagnostic {
    Diagnostic::warning(format!("variable '{name}' is given but nothing refers to it"))
}

pub(super) fn completion_without_checks(
    layer: &ConfigLayer,
    span: Span,
    agent: &str,
) -> Diagnostic {
    let message = format!("step '{agent}' is completed by its checks but has none");
    Diagnostic::error(message)
        .at(&layer.source, span, "nothing would ever complete it")
        .hint("add `checks` to the step or the chain, or give `--check`")
}

/// `a:x` with an unknown name has two readings; both are wrong.
pub(super) fn ambiguous_count(
    step: usize,
    dsl: &Dsl,
    agent: &Spanned<String>,
    (name, count): (&str, &str),
) -> Diagnostic {
    let span = agent.span;
    let agent = &agent.value;
    let message = format!("step {step}: `{agent}` is neither an agent nor an agent with a count");
    Diagnostic::error(message)
        .at(&dsl.source, span, "not found")
        .hint(format!("as a name: no configured agent and no program is called `{agent}`"))
        .hint(format!(
            "as `{name}` with a count: `{count}` is not a number; to loop write `{name}:3`"
        ))
}

/// In a config file a count has a key of its own.
pub(super) fn count_in_a_name(
    layer: &ConfigLayer,
    span: Span,
    agent: &str,
    count: &str,
) -> Diagnostic {
    Diagnostic::warning(format!("nothing is called `{agent}`; a name in a config holds no count"))
        .at(&layer.source, span, "taken whole for the name of an agent that runs once")
        .hint(format!("to loop write \"iterations\": {count} beside the name"))
}

/// A name in a config that would be another form in a chain in one line.
pub(super) fn form_in_a_name(layer: &ConfigLayer, agent: &Spanned<EntryName>) -> Diagnostic {
    let name = &agent.value.0;
    let hint = match name.as_str() {
        "?" => "to ask a person write `{ \"ask\": \"…\" }`".to_owned(),
        "else" => {
            "`else` is a key of the entry before: `\"else\": { \"agent\": \"…\" }`".to_owned()
        }
        _ => entry_hint(name),
    };
    Diagnostic::warning(format!("nothing is called `{name}`; a name in a config is no chain"))
        .at(&layer.source, agent.span, "taken whole for the name of an agent")
        .hint(hint)
}

pub(super) fn no_step_loops(flag: &str) -> Diagnostic {
    Diagnostic::warning(format!("`{flag}` has no effect: no step of the chain loops"))
        .hint("give an agent a count to make it loop, as in `agent:10`")
}

pub(super) fn step_runs_once(
    layer: &ConfigLayer,
    span: Span,
    key: &str,
    number: usize,
) -> Diagnostic {
    Diagnostic::warning(format!("`{key}` of step {number} has no effect: the step runs once"))
        .at(&layer.source, span, "for a loop, or the last stage of a repeated group")
        .hint("add `iterations` to make it loop")
}

pub(super) fn no_step_of_chain_loops(layer: &ConfigLayer, span: Span, key: &str) -> Diagnostic {
    Diagnostic::warning(format!("`{key}` has no effect: no step of the chain loops"))
        .at(&layer.source, span, "only a step that loops looks at this")
        .hint("add `iterations` to a step to make it loop")
}

/// A rule in a config without effect, and the position of its value.
#[derive(Clone, Copy)]
pub(super) enum IneffectiveGuard {
    CleanRoom(Span),
    OnProtectedChange(Span),
}

/// `whose` is the step or the chain that lacks what the rule needs.
pub(super) fn ineffective_guard(
    layer: &ConfigLayer,
    guard: IneffectiveGuard,
    whose: &str,
) -> Diagnostic {
    let (key, span, lacks, label, hint) = match guard {
        IneffectiveGuard::CleanRoom(span) => (
            "cleanRoom",
            span,
            "has no checks",
            "only checks run in a clean room",
            "add `checks`, or give `--check`",
        ),
        IneffectiveGuard::OnProtectedChange(span) => (
            "onProtectedChange",
            span,
            "protects no files",
            "holds for protected files only",
            "name the files with `protect`",
        ),
    };
    Diagnostic::warning(format!("`{key}` has no effect: {whose} {lacks}"))
        .at(&layer.source, span, label)
        .hint(hint)
}

pub(super) fn ineffective_must_fail_first(layer: &ConfigLayer, span: Span) -> Diagnostic {
    let message = "`mustFailFirst` has no effect: the check is about what an agent did";
    Diagnostic::warning(message).at(
        &layer.source,
        span,
        "`marker:` and `exit-code` cannot run before the first iteration",
    )
}

pub(super) fn only_round(layer: &ConfigLayer, rounds: Span) -> Diagnostic {
    Diagnostic::warning("a group with one round cannot repeat a refused round")
        .at(&layer.source, rounds, "one round")
        .hint("allow more rounds, or leave the count out: no stage decides about a round then")
}

/// A check about an agent, in a group about whose rounds a question decides.
pub(super) fn agent_check_of_question(
    layer: &ConfigLayer,
    check: &Spanned<CheckSpec>,
) -> Diagnostic {
    let message = format!("`{}` cannot pass: a question decides about the round", check.value);
    Diagnostic::error(message)
        .at(&layer.source, check.span, "about what an agent did")
        .hint("give the check to the step of that agent")
        .hint(format!("a check of this group is {FORMS_WITHOUT_AGENT}"))
}

pub(super) fn calibrate_flag_without_checks() -> Diagnostic {
    Diagnostic::warning("`--calibrate` has no effect: no step of the chain has checks")
        .hint("add one with `--check`")
}

pub(super) fn clean_room_flag_without_checks() -> Diagnostic {
    Diagnostic::warning("`--clean-room` has no effect: no step of the chain has checks")
        .hint("add one with `--check`")
}

/// A program's cost is known only if it prints the JSON of Claude Code.
pub(super) fn cost_of_programs(steps: &[usize]) -> Diagnostic {
    let numbers: Vec<String> = steps.iter().map(ToString::to_string).collect();
    let message = match numbers.as_slice() {
        [only] => {
            format!("the cost of step {only} may be unknown: its agent is a program")
        }
        _ => {
            let all = text::join_with_and(&numbers);
            format!("the cost of steps {all} may be unknown: their agents are programs")
        }
    };
    Diagnostic::warning(message).hint(
        "a program is counted if it prints Claude Code's JSON; time limits hold for every program",
    )
}

/// A quota over agents that do not report the usage of their account.
pub(super) fn unreported_quota(steps: &[usize], backend: Backend) -> Diagnostic {
    let (steps, title) = (numbered_steps(steps), backend.title());
    Diagnostic::warning(format!(
        "quota cannot be enforced for {steps}: {title} does not report the usage of its account"
    ))
    .hint("its agents are started at any time; `--max-cost` and `--max-time` hold for every agent")
}

/// A quota over agents that pay with an API key.
pub(super) fn quota_of_api_keys(steps: &[usize]) -> Diagnostic {
    let steps = numbered_steps(steps);
    Diagnostic::warning(format!(
        "quota cannot be enforced for {steps}: an account with an API key has no windows"
    ))
    .hint("only a subscription has them; `--max-cost` limits what agents with an API key spend")
}

/// A quota over programs.
pub(super) fn quota_of_programs(steps: &[usize]) -> Diagnostic {
    let are = if steps.len() == 1 { "its agent is a program" } else { "their agents are programs" };
    let steps = numbered_steps(steps);
    Diagnostic::warning(format!("quota may not be enforced for {steps}: {are}"))
        .hint("a program is delayed if it prints Claude Code's stream of a subscription")
}

/// `step 1`, `steps 1 and 3`.
fn numbered_steps(steps: &[usize]) -> String {
    let numbers: Vec<String> = steps.iter().map(ToString::to_string).collect();
    let noun = if steps.len() == 1 { "step" } else { "steps" };
    format!("{noun} {}", text::join_with_and(&numbers))
}

/// A cost limit over an agent that does not report its model.
pub(super) fn unnamed_model(step: usize, backend: Backend, is_fallback: bool) -> Diagnostic {
    let (title, file) = (backend.title(), backend.facts().settings.file.name());
    // A model of the agent is not passed to its fallback.
    let (place, remedy) = match is_fallback {
        true => (format!(" on its fallback {title}"), "set `model`"),
        false => (String::new(), "set `model` of the agent, or"),
    };
    let message = format!(
        "the cost of step {step} is limited, but cannot be known{place}: its model is not known"
    );
    Diagnostic::error(message)
        .hint(format!("{title} does not say which model it uses: {remedy} in {title}'s {file}"))
        .hint(NO_COST_LIMIT)
}

/// How to run without knowing the cost.
const NO_COST_LIMIT: &str = "or turn the limit off: `--max-cost off`, or `off` for `cost` in the limits of the step or group";

/// Tokens without a price end a run whose cost is limited.
pub(super) fn unknown_price(step: usize, model: &str) -> Diagnostic {
    let message = format!(
        "the cost of step {step} is limited, but cannot be known: its model `{model}` has no price"
    );
    Diagnostic::error(message)
        .hint(format!("give the price of `{model}` under `prices` in the config file"))
        .hint(NO_COST_LIMIT)
}

pub(super) fn no_recording(directory: &str, why: &str) -> Diagnostic {
    Diagnostic::error(format!("`--replay {directory}`: {why}"))
        .hint("`--record DIR` makes a recording of a run; `--replay DIR` plays it back")
}

/// A recording without the step that a plan needs, and the steps it has.
pub(super) fn missing_recorded_step(
    directory: &str,
    agent: &str,
    nth: usize,
    recorded: &[RecordedStep],
) -> Diagnostic {
    let message = match nth {
        1 => format!("the recording `{directory}` has no step of `{agent}`"),
        _ => format!("the recording `{directory}` has less than {nth} steps of `{agent}`"),
    };
    let listed: Vec<String> = recorded
        .iter()
        .map(|step| {
            let of = step.backend.map(|backend| format!(" ({})", backend.word()));
            format!("{} {}{}", step.number, step.agent, of.unwrap_or_default())
        })
        .collect();
    Diagnostic::error(message).hint(match listed.as_slice() {
        [] => "it has no steps at all".to_owned(),
        _ => format!("its steps are: {}", listed.join(", ")),
    })
}
