//! Head of `show`: identity and state of a run.

use forkhestra_core::config::Backend;
use forkhestra_core::event::RunEnd;
use forkhestra_core::explain::wait_subject;
use forkhestra_core::history::{
    ExecutionStatus, IterationPosition, Liveness, RunHistory, UnfinishedAgent,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{AgentKind, PlanStep};
use forkhestra_core::text;
use forkhestra_store::{RunOverview, view};
use typeset::style::{NAME, paint};
use typeset::text::{visible, wrapped};

use super::{ShownRunFacts, facts_table, page, steering};
use crate::report::run::{reason, short_duration, steering::steps_of};
use crate::report::text::flow::questions;
use crate::report::text::forked_run::{moment, place};
use crate::report::text::local_time::{minute_in_zone, second_in_zone};
use crate::report::text::operator_message::first_line;
use crate::report::text::{spend, status};

/// A heading and a table of facts.
pub(super) fn render(subject: &ShownRunFacts<'_>) -> String {
    let history = subject.history();
    let plan = &history.state.plan;
    let id = paint(NAME, subject.run.run().as_str());
    let definition = visible(&plan.definition);
    let heading = match &plan.chain {
        Some(name) => format!("Run {id}: {} ({definition})\n", visible(name)),
        None => format!("Run {id}: {definition}\n"),
    };
    let timestamp = second_in_zone;
    let mut lines = vec![("directory", visible(&plan.working_directory))];
    lines.extend(relatives(subject));
    lines.push(("started", timestamp(history.started)));
    lines.extend(history.ended.map(|ended| ("ended", timestamp(ended))));
    lines.push(("duration", short_duration(history.state.elapsed + subject.time_since())));
    lines.extend(page::waited(subject).map(|time| ("waited", format!("{time} for an answer"))));
    let spend = spend::known(history.state.spend());
    let whose = prices(history) + spend::replayed(plan);
    lines.extend(spend.map(|spend| ("spent", spend::tokens_and_cost(spend) + &whose)));
    lines.extend(quota(subject).map(|quota| ("quota", quota)));
    lines.extend(question(subject).map(|asked| ("question", asked)));
    // The bar marks untrusted text.
    let rest =
        questions::text_lines(history.open_question().and_then(|asked| asked.text.as_deref()));
    let is_whole = |line: &String| first_line(line) == *line;
    let shown = usize::from(rest.first().is_some_and(is_whole));
    lines.extend(rest.iter().skip(shown).map(|line| ("", format!("| {line}"))));
    lines.extend((history.resumed > 0).then(|| ("resumed", text::times(history.resumed))));
    lines.extend(steering::facts(subject));
    lines.push(("program", versions(subject)));
    let waiting = wait(subject).map(|wait| format!(", waiting {wait}")).unwrap_or_default();
    let state = state(subject, usize::MAX).concat() + &waiting;
    lines.insert(0, ("state", state));
    format!("{heading}{}", facts_table(lines))
}

/// The run from which it was forked, and the runs that were forked from it.
pub(super) fn relatives(subject: &ShownRunFacts<'_>) -> Vec<(&'static str, String)> {
    let history = subject.history();
    let steps = history.steps.len();
    let origin = history.state.origin.as_ref();
    let origin =
        origin.map(|origin| ("origin", format!("forked from run {}", place(origin, steps))));
    let fork = |fork: &RunOverview| {
        let at = fork.origin.as_ref().map(|origin| moment(origin, steps)).unwrap_or_default();
        format!("{} {at} ({})", visible(&fork.id), status::overview_word(fork).0)
    };
    let keys = std::iter::once("forks").chain(std::iter::repeat(""));
    let forks = keys.zip(subject.forks.iter().map(fork));
    origin.into_iter().chain(forks).collect()
}

/// State of the run and its reason, in one line without colours.
pub(super) fn sentence(subject: &ShownRunFacts<'_>) -> String {
    let history = subject.history();
    let status = history.status(subject.liveness);
    let steps = steps_of(&history.state);
    let why = why(history, status).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{} {steps}{why}", status::of_run(history, subject.liveness).text())
}

/// State of the run and its reason, wrapped to `columns`, without a wait.
pub(super) fn state(subject: &ShownRunFacts<'_>, columns: usize) -> Vec<String> {
    let word = status::of_run(subject.history(), subject.liveness);
    let mut lines = wrapped(&sentence(subject), columns);
    if let Some(first) = lines.first_mut()
        && let Some(rest) = first.strip_prefix(word.text())
    {
        *first = format!("{}{rest}", word.styled());
    }
    lines
}

fn why(history: &RunHistory, status: ExecutionStatus) -> Option<String> {
    match &history.state.end {
        Some(RunEnd::Complete) => None,
        Some(RunEnd::Interrupted(by)) => Some(reason::cancel(*by).to_owned()),
        Some(RunEnd::Incomplete { step, end }) => {
            let why = reason::entry(end, &reason::facts(&history.state, *step)).sentence;
            Some(format!(
                "step {step}, {}, {why}",
                questions::step_name(&history.state.plan, *step)
            ))
        }
        None => {
            let place = run_position(history);
            let was = if status == ExecutionStatus::Running { "" } else { "cut off at " };
            place.map(|place| format!("{was}{place}"))
        }
    }
}

/// The position of a run without an end.
fn run_position(history: &RunHistory) -> Option<String> {
    let step = match history.unfinished_agent() {
        Some((UnitId { step, iteration, .. }, UnfinishedAgent { .. })) => {
            let position = IterationPosition::numbered(&history.state, step, iteration);
            // The round is in front of it.
            let place = position.map_or(iteration.to_string(), |place| place.beside_round());
            let agent = visible(history.state.plan.agent_name(step));
            let round = round(history, step);
            return Some(format!("step {step}, {agent}{round}, iteration {place}"));
        }
        None => history.current_step()?,
    };
    Some(format!(
        "step {step}, {}{}",
        questions::step_name(&history.state.plan, step),
        round(history, step)
    ))
}

/// The current round of the innermost repeated group around a step.
fn round(history: &RunHistory, step: usize) -> String {
    let round = history.innermost_round(step);
    let round = round.and_then(|(group, round)| Some(format!(", round {round}/{}", group.rounds?)));
    round.unwrap_or_default()
}

/// The question that has no answer, and since when.
pub(super) fn question(subject: &ShownRunFacts<'_>) -> Option<String> {
    let question = subject.history().open_question()?;
    let since = minute_in_zone(question.asked);
    let step = question.step;
    Some(match &question.text {
        Some(text) => format!("{} (step {step}, since {since})", first_line(text)),
        None => format!("step {step}, since {since}"),
    })
}

/// What a live run waits for before the next attempt, and until when.
pub(super) fn wait(subject: &ShownRunFacts<'_>) -> Option<String> {
    let history = subject.history();
    let is_over = subject.liveness == Liveness::Gone || history.state.end.is_some();
    if is_over || history.unfinished_agent().is_some() {
        return None;
    }
    let step = history.current_step()?.checked_sub(1)?;
    let postponement = &history.state.steps.get(step)?.postponement;
    let (why, until) = postponement.wait_in_progress()?;
    let until = minute_in_zone(until);
    Some(format!("for {} until {until}", wait_subject(why)))
}

/// How much of the agents' accounts is used, as far as it is known now.
pub(super) fn quota(subject: &ShownRunFacts<'_>) -> Option<String> {
    let quotas = &subject.history().state.quotas;
    let accounts = Backend::ALL.into_iter().filter_map(|backend| {
        let text = quotas.text(backend, subject.now)?;
        Some(format!("{text} ({})", backend.title()))
    });
    let accounts: Vec<String> = accounts.collect();
    (!accounts.is_empty()).then(|| accounts.join(", "))
}

/// The date of the price table, if forkhestra and not the agents computed the cost.
fn prices(history: &RunHistory) -> String {
    let is_ours = |kind: &AgentKind| matches!(kind, AgentKind::Direct(direct) if direct.backend.facts().cost.needs_prices());
    let has_cost = |step: &PlanStep| !history.state.spend_of(step.number).dollars.is_zero();
    let plan = &history.state.plan;
    match plan.steps.iter().any(|step| is_ours(&step.agent.kind) && has_cost(step)) {
        true => format!(" ({})", spend::source_of_prices(plan)),
        false => String::new(),
    }
}

/// The program versions that executed the run.
fn versions(subject: &ShownRunFacts<'_>) -> String {
    let versions: Vec<String> =
        view::programs(subject.past).iter().map(|version| visible(version)).collect();
    format!("forkhestra {}", text::join_with_and(&versions))
}
