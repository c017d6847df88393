//! Interprets the parsed command line of a run.

use std::ffi::OsStr;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::dsl::Dsl;
use forkhestra_core::plan::{
    PlanRequest, RequestedPrompt, RequestedReplay, RunTarget, SANDBOX_VARIABLE, SandboxRequest,
};
use forkhestra_core::text::variables::{Variables, looks_like_assignment};

use crate::cli::args::forkhestra_cli::RunArgs;
use crate::cli::args::recording::RecordingArgs;
use crate::cli::args::work::{PromptArgs, WorkArgs};
use crate::cli::verbs;
use crate::project::project_location::ProjectLocation;

/// Whether a first word that equals a verb names an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunForm {
    /// `forkhestra NAME`: a verb's name means the verb.
    Plain,
    /// `forkhestra run NAME`: the name always means an agent.
    Run,
}

/// Interprets the command line of a run, or returns its mistakes.
pub(crate) fn parse_request(
    args: &RunArgs,
    form: RunForm,
    project: &ProjectLocation,
) -> Result<PlanRequest, Vec<Diagnostic>> {
    let words = CommandWords::sort(args);
    let variables = Variables::collect(words.assignments.iter().copied());
    let what = run_target(args.chain.as_deref(), &words, form);
    let (variables, what) = match (variables, what) {
        (Ok(variables), Ok(what)) => (variables, what),
        (variables, what) => {
            return Err(variables.err().into_iter().chain(what.err()).flatten().collect());
        }
    };
    let verb_may_be_meant = form == RunForm::Plain;
    let approves_all = args.yes;
    let request = requested(what, &args.work, project);
    Ok(PlanRequest { variables, verb_may_be_meant, approves_all, ..request })
}

/// Builds the request from a target and the options; positional words are not considered here.
pub(crate) fn requested(
    what: RunTarget,
    args: &WorkArgs,
    project: &ProjectLocation,
) -> PlanRequest {
    let WorkArgs { completion, work_tree, .. } = args;
    let request = PlanRequest {
        typed_prefix: project.typed_prefix(),
        ..PlanRequest::new(what, project.working_directory.to_string_lossy())
    };
    let path = |typed: &String| request.typed_path(typed);
    let protect = work_tree.protect.iter().map(path).collect();
    let state_directory = args.state.state_dir.as_ref().map(path);
    let done_file = completion.done_file.as_ref().map(path);
    let prompt = requested_prompt(&args.prompt, path);
    let record = args.recording.record.as_ref().map(path);
    let sandbox = SandboxRequest {
        level: args.sandbox.level,
        variable: sandbox_variable(project),
        writable: args.sandbox.writable.iter().map(path).collect(),
    };
    let replay = requested_replay(&args.recording, path);
    PlanRequest {
        state_directory,
        prompt,
        agent_args: args.agent_args.clone(),
        markers: completion.markers.clone(),
        done_file,
        checks: completion.checks.clone(),
        hooks: completion.hooks.clone(),
        limits: args.limits.0.clone(),
        feedback: !completion.no_feedback,
        clean_room: work_tree.clean_room,
        calibrate: completion.calibrate,
        protect,
        protect_scripts: !work_tree.no_protect_scripts,
        on_cycle: work_tree.on_cycle,
        snapshots: !work_tree.no_snapshots,
        begins_at_head: work_tree.from_head,
        backend: args.backend,
        fallback: args.fallback,
        model: args.model.clone(),
        record,
        replay,
        sandbox,
        defaults: project.program.defaults(),
        ..request
    }
}

/// The sandbox level in the environment.
pub(crate) fn sandbox_variable(project: &ProjectLocation) -> Option<String> {
    let value = project.environment.variable(SANDBOX_VARIABLE)?;
    Some(value.to_string_lossy().into_owned())
}

/// The positional words of the command line, sorted by kind.
struct CommandWords<'a> {
    /// The chain.
    dsl: Option<&'a str>,
    /// Words of the form `NAME=value`, valid or not.
    assignments: Vec<&'a str>,
    /// Words that have no meaning here.
    stray: Vec<&'a str>,
}

impl<'a> CommandWords<'a> {
    fn sort(args: &'a RunArgs) -> Self {
        let mut words = Self { dsl: None, assignments: Vec::new(), stray: Vec::new() };
        for word in args.words.iter().map(String::as_str) {
            let may_be_chain = args.chain.is_none() && words.dsl.is_none();
            if looks_like_assignment(word) || (word.contains('=') && !may_be_chain) {
                words.assignments.push(word);
            } else if may_be_chain {
                words.dsl = Some(word);
            } else {
                words.stray.push(word);
            }
        }
        words
    }
}

fn run_target(
    chain: Option<&str>,
    words: &CommandWords<'_>,
    form: RunForm,
) -> Result<RunTarget, Vec<Diagnostic>> {
    match (chain, words.dsl, words.stray.first()) {
        // Planning fails for an empty name, and its error lists the names that exist.
        (Some(""), _, _) => Ok(RunTarget::Chain(String::new())),
        (Some(name), _, Some(stray)) => Err(vec![both_chains(name, stray)]),
        (Some(name), _, None) => Ok(RunTarget::Chain(name.to_owned())),
        (None, None, _) => Err(vec![nothing_to_run()]),
        (None, Some(dsl), _) if form == RunForm::Plain && verbs::is_verb(OsStr::new(dsl)) => {
            Err(vec![verb_as_agent(dsl)])
        }
        (None, Some(dsl), Some(_)) => Err(vec![stray_words(dsl, &words.stray)]),
        (None, Some(dsl), None) => Dsl::parse(dsl).map(RunTarget::Dsl),
    }
}

fn requested_prompt(
    args: &PromptArgs,
    path: impl Fn(&String) -> String,
) -> Option<RequestedPrompt> {
    let text = args.text.clone().map(RequestedPrompt::Text);
    text.or_else(|| args.file.as_ref().map(|file| RequestedPrompt::File(path(file))))
}

fn requested_replay(
    args: &RecordingArgs,
    path: impl Fn(&String) -> String,
) -> Option<RequestedReplay> {
    Some(RequestedReplay {
        recording: path(args.replay.as_ref()?),
        speed: args.speed.unwrap_or_default(),
    })
}

fn nothing_to_run() -> Diagnostic {
    Diagnostic::error("there is nothing to run")
        .hint("name an agent or a chain: forkhestra \"planner:3 -> builder:20\"")
        .hint("`forkhestra list` shows what can be run here, `forkhestra --help` how")
}

fn both_chains(name: &str, word: &str) -> Diagnostic {
    Diagnostic::error(format!("both a chain `{word}` and `--chain {name}` are given"))
        .hint("give one of the two; arguments for the agents go after `--`")
}

fn stray_words(dsl: &str, stray: &[&str]) -> Diagnostic {
    let error = Diagnostic::error(format!("unexpected argument `{}`", stray[0]));
    if stray[0] == "-" {
        return error.hint(format!(
            "the shell took `>` for a redirection; quote the chain: forkhestra \"{dsl} -> …\""
        ));
    }
    // `a else b` and `a ? b` are no lists of arguments.
    if stray.iter().any(|word| ["else", "?"].contains(word)) {
        let chain = format!("{dsl} {}", stray.join(" "));
        return error.hint(format!("a chain is one argument; quote it: forkhestra \"{chain}\""));
    }
    error.hint("a chain is one argument; arguments for the agents go after `--`")
}

fn verb_as_agent(verb: &str) -> Diagnostic {
    let error = Diagnostic::error(format!("options go after the command `{verb}`"))
        .hint(format!("write forkhestra {verb} [OPTIONS]"));
    error.hint(format!("to run an agent of that name: forkhestra run {verb}"))
}
