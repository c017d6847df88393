//! Sentences about refused rounds, conditions and questions.

use forkhestra_core::event::CheckReport;
use forkhestra_core::history::{QuestionRecord, RunHistory};

use crate::report::text::flow::{questions, rounds};
use crate::report::text::run_commands::RunCommands;
use crate::report::text::{checks, operator_message};

/// A round was not accepted.
pub(super) fn round_refused(run: &RunHistory, group: usize, round: u32) -> String {
    let plan = &run.state.plan;
    // The rounds of an inner group have the same numbers in each round of the outer one.
    let refused = run.flow.refused_rounds(group).filter(|(number, _)| *number == round);
    let refusal = refused.last();
    let by = refusal.map(|(_, refusal)| format!(" {}", rounds::refused_by(plan, refusal)));
    format!("Round {round} was refused{}", by.unwrap_or_default())
}

/// A condition does not hold, and why: `Condition does not hold: tasks: 2 tasks are not done`.
pub(super) fn condition_failed(check: &CheckReport) -> String {
    let why =
        check.message.as_deref().map(|why| format!(": {}", operator_message::first_line(why)));
    format!("Condition does not hold: {}{}", checks::name(&check.name), why.unwrap_or_default())
}

/// The lines about a question: its text, what was made before it, and how it is answered. There are
/// no commands if no answer is waited for.
pub(super) fn asked(
    run: &RunHistory,
    question: &QuestionRecord,
    commands: Option<&RunCommands>,
) -> Vec<String> {
    let step = question.step;
    let mut text = questions::text_lines(question.text.as_deref()).into_iter();
    let mut lines = vec![questions::question_sentence(step, text.next().as_deref())];
    // The bar marks untrusted text.
    lines.extend(text.map(|line| format!("  | {line}")));
    if let Some(commands) = commands {
        lines.extend(questions::changes_before_question(run));
        lines.extend(questions::answer_commands(commands, question.number));
        lines.push(questions::COMMENT_HINT.to_owned());
        lines.extend(questions::deadline(&run.state.plan, question, run.updated));
    }
    lines
}
