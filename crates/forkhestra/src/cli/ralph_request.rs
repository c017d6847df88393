//! Interprets the parsed command line of `ralph-runner`.

use std::sync::Arc;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::diagnostic::source::{SourceText, Span};
use forkhestra_core::dsl::{Dsl, DslChain, DslPart, DslPartKind};
use forkhestra_core::limit::{LIMITS, LimitChanges, LimitOption};
use forkhestra_core::text;
use forkhestra_core::text::count::Count;

use crate::cli::args::forkhestra_cli::ResumeArgs;
use crate::cli::args::limits::NewLimitArgs;
use crate::cli::args::ralph::{RalphCli, RalphResumeArgs};
use crate::cli::args::work::WorkArgs;
use crate::report::text::shell_word::shell_word;

/// Reason given when a loop has no maximum number of iterations.
const ENDLESS_LOOP_REASON: &str =
    "an agent that never says that its work is done would run, and cost, for ever";

/// What a command line of `ralph-runner` requests.
#[derive(Debug)]
pub(crate) enum RalphRequest {
    Start { chain: Dsl, skip_permissions: bool, work: Box<WorkArgs> },
    Resume(Box<ResumeArgs>),
}

/// Interprets the command line. Returns all mistakes at once.
pub(crate) fn parse_ralph_request(cli: RalphCli) -> Result<RalphRequest, Vec<Diagnostic>> {
    if cli.resume.is_some() {
        return resume_request(cli);
    }
    let mut mistakes = only_for_resume(&cli.resuming);
    let chain = match (&cli.agent, &cli.chain) {
        (Some(agent), Some(chain)) => Err(vec![both(agent, chain)]),
        (Some(agent), None) => loop_of(agent, cli.max_iterations),
        (None, Some(chain)) => chain_of(chain, cli.max_iterations),
        (None, None) => Err(vec![nothing_to_run(cli.max_iterations)]),
    };
    match chain {
        Ok(chain) if mistakes.is_empty() => {
            let skip_permissions = cli.dangerously_skip_permissions;
            Ok(RalphRequest::Start { chain, skip_permissions, work: Box::new(cli.work) })
        }
        chain => {
            mistakes.splice(0..0, chain.err().unwrap_or_default());
            Err(mistakes)
        }
    }
}

/// The chain for one agent in a loop.
fn loop_of(agent: &str, max_iterations: Option<Count>) -> Result<Dsl, Vec<Diagnostic>> {
    let mut chain = Dsl::parse(agent)?;
    let (source, word) = (Arc::clone(&chain.source), shell_word(agent));
    let part = match chain.chain.stages.as_mut_slice() {
        [stage] if stage.alternatives.len() == 1 => &mut stage.alternatives[0],
        stages => {
            let mut parts = stages.iter().flat_map(|stage| &stage.alternatives);
            return Err(vec![not_one_agent(&source, parts.nth(1), &word)]);
        }
    };
    let DslPartKind::Agent(called) = &part.kind else {
        return Err(vec![not_one_agent(&source, Some(part), &word)]);
    };
    let name = shell_word(&called.value);
    match (part.count, max_iterations) {
        (Some(count), max_iterations) => {
            let (max_iterations, typed) = (max_iterations.unwrap_or(count), agent.trim_end().len());
            let place = Span::new(called.span.end, typed);
            Err(vec![
                Diagnostic::error("`--agent` takes a name without a count")
                    .at(&source, place, "counts are for chains")
                    .hint(format!("write --agent {name} --max-iterations {max_iterations}"))
                    .hint(format!("or --chain {word}")),
            ])
        }
        (None, None) => Err(vec![
            Diagnostic::error(format!("`--agent` needs `--max-iterations`: {ENDLESS_LOOP_REASON}"))
                .hint(format!(
                    "write --agent {name} --max-iterations 20, or as many as it may take"
                )),
        ]),
        (None, max_iterations) => {
            part.count = max_iterations;
            Ok(chain)
        }
    }
}

/// The error for a chain in the place of an agent; `excess` is its first part that is too much.
fn not_one_agent(source: &Arc<SourceText>, excess: Option<&DslPart>, word: &str) -> Diagnostic {
    let error = Diagnostic::error("`--agent` takes one agent, and this is a chain");
    let error = match excess {
        Some(DslPart { kind: DslPartKind::Agent(agent), .. }) => {
            error.at(source, agent.span, "expected nothing after the first agent")
        }
        Some(part) => error.at(source, part.span, "expected an agent and nothing else"),
        None => error,
    };
    error.hint(format!("write --chain {word}"))
}

/// The chain for several agents, each with its own count.
fn chain_of(text: &str, max_iterations: Option<Count>) -> Result<Dsl, Vec<Diagnostic>> {
    let mut chain = Dsl::parse(text)?;
    let Some(max_iterations) = max_iterations else { return Ok(chain) };
    give_counts(&mut chain.chain, max_iterations);
    let counted = chain.to_string();
    Err(vec![
        Diagnostic::error(
            "`--max-iterations` cannot be used with `--chain`: counts stand in the chain",
        )
        .hint(format!("write --chain \"{counted}\""))
        .hint("an agent without a count runs once"),
    ])
}

/// Gives each agent without a count this one.
fn give_counts(chain: &mut DslChain, count: Count) {
    for part in chain.stages.iter_mut().flat_map(|stage| &mut stage.alternatives) {
        match &mut part.kind {
            DslPartKind::Agent(_) => part.count = part.count.or(Some(count)),
            DslPartKind::Question(_) => {}
            DslPartKind::Group(chain) => give_counts(chain, count),
            DslPartKind::Parallel(branches) => {
                branches.iter_mut().for_each(|branch| give_counts(branch, count));
            }
        }
    }
}

/// Builds the request to resume a run. Its plan is already recorded, so options of a new run are
/// refused.
fn resume_request(cli: RalphCli) -> Result<RalphRequest, Vec<Diagnostic>> {
    let of_new_runs = only_for_new_runs(&cli);
    if !of_new_runs.is_empty() {
        return Err(vec![not_with_resume(&of_new_runs)]);
    }
    let RalphCli { resume, max_iterations, work, resuming, .. } = cli;
    let WorkArgs { project, state, limits, attend, output, sandbox, .. } = work;
    let RalphResumeArgs { repair, approve, deny, limits: resume_only } = resuming;
    let iterations = LimitChanges { iterations: max_iterations, ..LimitChanges::default() };
    let limits = NewLimitArgs(iterations.or(limits.0).or(resume_only.0));
    let run = resume;
    let args = ResumeArgs {
        run,
        tell: None,
        approve,
        deny,
        repair,
        sandbox,
        project,
        state,
        limits,
        attend,
        output,
    };
    Ok(RalphRequest::Resume(Box::new(args)))
}

/// Typed options that are valid for a new run only.
fn only_for_new_runs(cli: &RalphCli) -> Vec<&'static str> {
    let WorkArgs { prompt, completion, work_tree, recording, .. } = &cli.work;
    let typed = [
        ("--agent", cli.agent.is_some()),
        ("--chain", cli.chain.is_some()),
        ("--dangerously-skip-permissions", cli.dangerously_skip_permissions),
        ("--dry-run", cli.work.dry_run),
        ("--prompt", prompt.text.is_some()),
        ("--prompt-file", prompt.file.is_some()),
        ("--marker", !completion.markers.is_empty()),
        ("--done-file", completion.done_file.is_some()),
        ("--check", !completion.checks.is_empty()),
        ("--calibrate", completion.calibrate),
        ("--no-feedback", completion.no_feedback),
        ("--hook", !completion.hooks.is_empty()),
        ("--clean-room", work_tree.clean_room),
        ("--protect", !work_tree.protect.is_empty()),
        ("--no-protect-scripts", work_tree.no_protect_scripts),
        ("--on-cycle", work_tree.on_cycle.is_some()),
        ("--no-snapshots", work_tree.no_snapshots),
        ("--backend", cli.work.backend.is_some()),
        ("--fallback", cli.work.fallback.is_some()),
        ("--model", cli.work.model.is_some()),
        ("--record", recording.record.is_some()),
        ("--replay", recording.replay.is_some()),
        ("-- ARGS", !cli.work.agent_args.is_empty()),
    ];
    typed.into_iter().filter(|(_, is_typed)| *is_typed).map(|(option, _)| option).collect()
}

fn not_with_resume(options: &[&str]) -> Diagnostic {
    let options = text::join_with_and(&text::quoted(options));
    Diagnostic::error(format!("{options} cannot be used with `--resume`")).hint(
        "a resumed run keeps its plan; only its limits, `--max-iterations` among them, and its \
         sandbox can be changed",
    )
}

fn only_for_resume(args: &RalphResumeArgs) -> Vec<Diagnostic> {
    // The parser accepts all limits. Those with a help text for new runs are valid without
    // `--resume`.
    let resume_only = LIMITS.iter().filter(|limit| limit.help.is_none());
    let typed = resume_only.filter(|limit| limit.get(&args.limits.0).is_some());
    let limits = typed.map(|LimitOption { option, config, .. }| {
        Diagnostic::error(format!("`--{option}` is for `--resume`"))
            .hint(format!("for a new run, give the step `limits.{config}` in the config"))
    });
    let repair = args.repair.then(|| {
        Diagnostic::error("`--repair` is for `--resume`")
            .hint("name the run whose journal is damaged: --resume FILE --repair")
    });
    let of_resume = [
        (
            "--rounds",
            args.limits.0.rounds.is_some(),
            "a repeated group has its rounds in the chain",
        ),
        ("--approve", args.approve.is_some(), "to answer an active run: forkhestra approve"),
        ("--deny", args.deny.is_some(), "to answer an active run: forkhestra deny"),
    ];
    let of_resume = of_resume.into_iter().filter(|(_, is_typed, _)| *is_typed);
    let of_resume = of_resume.map(|(option, _, hint)| {
        Diagnostic::error(format!("`{option}` is for `--resume`")).hint(hint)
    });
    repair.into_iter().chain(of_resume).chain(limits).collect()
}

fn both(agent: &str, chain: &str) -> Diagnostic {
    let (agent, chain) = (shell_word(agent), shell_word(chain));
    Diagnostic::error("`--agent` cannot be used with `--chain`")
        .hint(format!("for one agent write --agent {agent} --max-iterations N"))
        .hint(format!("for several write --chain {chain}"))
}

fn nothing_to_run(max_iterations: Option<Count>) -> Diagnostic {
    let max_iterations =
        max_iterations.map_or_else(|| "20".to_owned(), |max_iterations| max_iterations.to_string());
    Diagnostic::error("there is nothing to run")
        .hint(format!(
            "name an agent: ralph-runner --agent builder --max-iterations {max_iterations}"
        ))
        .hint("or a chain: ralph-runner --chain \"planner:10 -> builder:20\"")
        .hint("or a run to resume: ralph-runner --resume FILE")
}
