//! Questions to a person, and their answers.

use forkhestra_core::event::{Answer, AnswerSource};
use forkhestra_core::history::{QuestionRecord, RunHistory};
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{Plan, PlanStep};
use forkhestra_core::time::Timestamp;
use typeset::text::{visible, visible_lines};

use crate::report::run::short_duration;
use crate::report::text::local_time::time_in_zone;
use crate::report::text::run_commands::RunCommands;
use crate::report::text::{operator_message, spend, work_summary};

/// The name of a step (one-based) in a sentence: its agent, or `the question`.
pub(crate) fn step_name(plan: &Plan, step: usize) -> String {
    let is_question = plan.step(step).is_some_and(PlanStep::is_question);
    if is_question { "the question".to_owned() } else { visible(plan.agent_name(step)) }
}

/// What a step asks: `Step 2 asks: Is the plan right?`. The text must be safe to print.
pub(crate) fn question_sentence(step: usize, text: Option<&str>) -> String {
    match text {
        Some(text) => format!("Step {step} asks: {text}"),
        None => format!("Step {step} asks for approval"),
    }
}

/// The question in one line.
pub(crate) fn first_line(question: &QuestionRecord) -> String {
    let text = question.text.as_deref().map(operator_message::first_line);
    question_sentence(question.step, text.as_deref())
}

/// The text of a question, line by line.
pub(crate) fn text_lines(text: Option<&str>) -> Vec<String> {
    visible_lines(text.unwrap_or_default().trim_end())
}

/// What the commands of [`answer_commands`] can have in addition.
pub(crate) const COMMENT_HINT: &str = "A comment can follow either command, in quotation marks";

/// The commands that answer the question with this number of an active run.
pub(crate) fn answer_commands(commands: &RunCommands, question: u32) -> [String; 2] {
    let (approve, deny) = (commands.approve(question), commands.deny(question));
    [format!("To approve: {approve}"), format!("To deny: {deny}")]
}

/// How a run that is not active is answered; none if it has no open question.
pub(crate) fn answer_command(state: &RunState, commands: &RunCommands) -> Option<String> {
    let open = state.open_question().map(|(step, _)| step);
    let answerable = state.answerable_step().filter(|step| open == Some(*step));
    answerable.map(|_| format!("To answer: {} --approve, or --deny", commands.resume))
}

/// What happens without an answer; none if the question waits as long as it takes. `now` is the
/// time of the reader.
pub(crate) fn deadline(plan: &Plan, question: &QuestionRecord, now: Timestamp) -> Option<String> {
    Some(timeout_text(plan, question.step, &time_in_zone(question.until?, now)))
}

/// What happens to the question of a step without an answer until a time.
pub(crate) fn timeout_text(plan: &Plan, step: usize, until: &str) -> String {
    let planned = plan.step(step).and_then(PlanStep::question);
    let approves = planned.is_some_and(|planned| planned.approves_on_timeout);
    let word = if approves { "APPROVED" } else { "denied" };
    format!("Without an answer it is {word} at {until}")
}

/// What the last agent before a question changed: work in the repository, tasks, cost.
pub(crate) fn changes_before_question(history: &RunHistory) -> Option<String> {
    let state = &history.state;
    let step = state.last_unit()?.step;
    let work = state.step(step)?.work.as_ref().map(work_summary::work_text);
    let tasks = history.task_counts;
    let tasks = tasks.map(|counts| format!("{} of {} tasks done", counts.done, counts.total));
    let cost = history.step_spend(step).and_then(spend::known).map(spend::cost);
    let parts: Vec<String> = work.into_iter().chain(tasks).chain(cost).collect();
    let name = step_name(&state.plan, step);
    (!parts.is_empty()).then(|| format!("Changes by step {step}, {name}: {}", parts.join("; ")))
}

/// Who or what answered: `by a person`.
pub(crate) const fn answered_by(source: AnswerSource) -> &'static str {
    match source {
        AnswerSource::Person => "by a person",
        AnswerSource::Timeout => "by its timeout",
        AnswerSource::YesOption => "by --yes",
    }
}

/// Who or what answered and how: `Approved by a person: go ahead`.
pub(crate) fn answer_sentence(answer: &Answer) -> String {
    let word = if answer.approved { "Approved" } else { "Denied" };
    let comment = answer.text.as_deref().filter(|text| !text.trim().is_empty());
    let comment = comment.map(|text| format!(": {}", operator_message::first_line(text)));
    format!("{word} {}{}", answered_by(answer.by), comment.unwrap_or_default())
}

/// Who or what answered, and how long the question was open, as cells of a table.
pub(crate) fn answer_cells(question: &QuestionRecord) -> [String; 2] {
    let Some((at, answer)) = &question.answer else {
        return ["not answered".to_owned(), String::new()];
    };
    let open = short_duration(at.saturating_since(question.asked));
    [answered_by(answer.by).to_owned(), format!("open for {open}")]
}
