//! The answer to the open question that `resume --approve` or `--deny` brings.

use forkhestra_core::control::AnswerRequest;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::RunEnd;
use forkhestra_core::machine::{ResumeAnswer, RunState};
use forkhestra_store::{RunDir, pending_messages};

use crate::cli::args::forkhestra_cli::ResumeArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::pending_message::{self, masked};
use crate::past_runs::resume_command::resume_command;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_or_text::{self, RunOrText};
use crate::project::project_location::ProjectLocation;
use crate::report::text::shell_word::shell_word;

/// The answer of the command line, with its option.
fn typed_answer(args: &ResumeArgs) -> Option<(&'static str, bool, &str)> {
    let approval = args.approve.as_deref().map(|text| ("--approve", true, text));
    approval.or_else(|| args.deny.as_deref().map(|text| ("--deny", false, text)))
}

/// Refuses a comment that is or could be a run, if no run is named: the run was probably meant.
pub(crate) fn refuse_id(args: &ResumeArgs, finder: &RunFinder<'_>) -> Result<(), CommandError> {
    let Some((option, _, text)) = typed_answer(args) else { return Ok(()) };
    if args.run.is_some() {
        return Ok(());
    }
    let as_comment = format!("forkhestra resume RUN {option} {}", shell_word(text));
    Err(CommandError::wrong(match finder.classify(text)? {
        RunOrText::Text => return Ok(()),
        RunOrText::LooksLikeRun => run_or_text::no_run_error(text, &as_comment),
        RunOrText::Run(run) => {
            let run = run.run();
            Diagnostic::error(format!(
                "`{text}` after `{option}` is read as the comment, but it also names run {run}"
            ))
            .hint(format!("if it is the run: forkhestra resume {run} {option}"))
            .hint(format!("if it is the comment: {as_comment}"))
        }
    }))
}

/// The answer for the question of a run, or why it cannot be given.
pub(crate) fn resume_answer(
    args: &ResumeArgs,
    run: &RunDir,
    state: &RunState,
    project: &ProjectLocation,
) -> Result<Option<ResumeAnswer>, CommandError> {
    let Some((option, approves, text)) = typed_answer(args) else { return Ok(None) };
    let run_id = run.run();
    if state.answerable_step().is_some() && state.answerable_step_with(&args.limits.0).is_none() {
        let error = format!(
            "`{option}` and `--rounds` cannot be combined: another round of run {run_id} asks again"
        );
        let hint = format!("leave out `--rounds` to answer, or `{option}` to begin another round");
        return Err(CommandError::wrong(Diagnostic::error(error).hint(hint)));
    }
    if state.answerable_step().is_none() {
        let run = run_id;
        let error = Diagnostic::error(format!("run {run} has no open question"));
        let hint = format!("to resume it without an answer, leave out `{option}`");
        return Err(CommandError::wrong(match state.current_step() {
            Some(_) => error.hint(hint),
            None => error.hint("it is complete"),
        }));
    }
    let text = masked(text, project);
    let text = (!text.trim().is_empty()).then_some(text);
    if let Some(text) = &text {
        let mut kept = pending_messages(run, state.last_message())?;
        if let Some(tell) = &args.tell {
            let tell = masked(tell, project);
            kept.push(state.accept_message(&kept, &tell).map_err(pending_message::refused)?);
        }
        state.accept_comment(&kept, text, approves).map_err(pending_message::refused)?;
    }
    Ok(Some(ResumeAnswer { approves, text }))
}

/// Warnings that the texts of a resume are stored without their secrets.
pub(crate) fn masked_warnings(args: &ResumeArgs, project: &ProjectLocation) -> Vec<Diagnostic> {
    let message = args.tell.as_deref().map(|text| ("message", text));
    let comment = typed_answer(args).map(|(_, _, text)| ("comment", text));
    let texts = message.into_iter().chain(comment);
    texts.filter_map(|(what, text)| pending_message::masked_warning(what, text, project)).collect()
}

/// The command that resumes a run with an answer; none if the run has no question that it answers.
pub(crate) fn answering_command(
    run: &RunDir,
    state: &RunState,
    answer: &AnswerRequest,
    project: &ProjectLocation,
) -> Option<String> {
    let step = state.answerable_step().filter(|_| state.end != Some(RunEnd::Complete))?;
    let asked = state.step(step).and_then(|step| step.question.as_ref());
    if answer.question.is_some_and(|number| asked.is_none_or(|asked| asked.number != number)) {
        return None;
    }
    let option = if answer.approves { "--approve" } else { "--deny" };
    let command = format!("{} {option}", resume_command(run, &state.plan, project));
    Some(match &answer.text {
        Some(text) => format!("{command} {}", shell_word(text)),
        None => command,
    })
}
