//! `forkhestra show --why`: why a run stopped, with the evidence from its journal.

use forkhestra_core::cost::Cost;
use forkhestra_core::event::{CheckReport, OpenTask, OpenTaskStatus, RunEnd};
use forkhestra_core::explain::{
    CrossedLimit, Evidence, IterationTreeChange, LimitReached, StagnationEvidence, wait_subject,
};
use forkhestra_core::history::{IterationRecord, Liveness, RunHistory, WaitReason};
use forkhestra_core::id::UnitId;
use forkhestra_core::text;
use typeset::style::{DIM, NAME, paint};
use typeset::table::{TableCell, indented};
use typeset::text::visible;

use super::{ShownRunFacts, ending, facts_table, head, iterations, page};
use crate::report::run::{reason, short_duration, steering};
use crate::report::run_report::RunReport;
use crate::report::text::checks::{self, CheckDetail};
use crate::report::text::flow::{questions, rounds};
use crate::report::text::local_time::{minute_in_zone, second_in_zone};
use crate::report::text::{iteration, spend};

/// Maximum number of open tasks listed.
const MAX_TASKS: usize = 5;

/// Renders the page.
pub(super) fn render(subject: &ShownRunFacts<'_>) -> String {
    let history = subject.history();
    let plan = &history.state.plan;
    let id = paint(NAME, subject.run.run().as_str());
    let name = visible(plan.chain.as_deref().unwrap_or(&plan.definition));
    let evidence = Evidence::of(history);
    let facts = facts_table(facts(subject, evidence.as_ref()));
    let proof = evidence.map(|evidence| {
        let failures = RunReport::of(history).with_output(subject.run).failures();
        last_iterations(&evidence, history) + &failures + &failed_checks(&evidence.failed_checks)
    });
    format!("Run {id}: {name}\n{facts}{}{}", proof.unwrap_or_default(), ending::next_steps(subject))
}

/// State of the run and all single-line evidence.
fn facts(
    subject: &ShownRunFacts<'_>,
    evidence: Option<&Evidence<'_>>,
) -> Vec<(&'static str, String)> {
    let history = subject.history();
    let room = subject.columns.map_or(usize::MAX, |columns| columns.saturating_sub(16).max(40));
    let keys = std::iter::once("state").chain(std::iter::repeat(""));
    let mut rows: Vec<(&str, String)> = keys.zip(head::state(subject, room)).collect();
    rows.extend(live_run_state(subject).map(|why| ("not stopped", why)));
    rows.extend(cut_off(subject).map(|why| ("cut off", why)));
    if let Some(evidence) = evidence {
        rows.extend(evidence.limit.as_ref().map(|limit| ("limit", crossed(limit))));
        rows.extend(evidence.nothing_new.map(|last| ("nothing new", stagnation_text(last))));
        rows.extend(evidence.message.map(|message| ("said", visible(message))));
        let failure = evidence.failed_hook.and_then(|hook| hook.failure.as_deref());
        rows.extend(failure.map(|failure| ("hook", visible(failure))));
    }
    rows.extend(last_refusal(history, evidence).map(|refusal| ("refused", refusal)));
    rows.extend(head::question(subject).map(|asked| ("question", asked)));
    rows.push(("done", done(history)));
    rows.extend(remaining_work(history).map(|left| ("left", left)));
    rows
}

/// What a live run waits for.
pub(super) fn live_run_state(subject: &ShownRunFacts<'_>) -> Option<String> {
    let history = subject.history();
    if subject.liveness == Liveness::Gone || history.state.end.is_some() {
        return None;
    }
    if let Some(since) = history.steering.paused {
        let id = subject.run.run();
        let since = minute_in_zone(since);
        return Some(format!("paused since {since}; `forkhestra continue {id}` continues it"));
    }
    if let Some(waiting) = history.pending_wait() {
        let until = minute_in_zone(waiting.until);
        return Some(match waiting.reason {
            WaitReason::Provider(class) => {
                format!("waits for {} until {until}", wait_subject(class))
            }
            WaitReason::Backoff { crashes } => {
                let crashes = reason::count(crashes, "crash");
                format!("waits after {crashes} until {until}")
            }
        });
    }
    if let Some(question) = history.asked_now(subject.liveness) {
        let since = minute_in_zone(question.asked);
        return Some(format!("waits for an answer since {since}"));
    }
    let at_work: Vec<String> = history
        .unfinished_agents()
        .filter(|agent| agent.gone.is_none())
        .filter_map(|agent| Some(format!("{} (lane {})", agent.unit.iteration, agent.lane?)))
        .collect();
    if at_work.len() > 1 {
        let iterations = text::join_with_and(&at_work);
        return Some(format!("waits for the agents of the iterations {iterations}"));
    }
    Some(match history.unfinished_agent() {
        Some((UnitId { iteration, .. }, work)) if work.gone.is_some() => {
            format!("waits for the checks of iteration {iteration}")
        }
        Some((UnitId { iteration, .. }, work)) => {
            let since = second_in_zone(work.started);
            format!("waits for the agent of iteration {iteration}, at work since {since}")
        }
        None => "is between two iterations".to_owned(),
    })
}

/// Reports a journal without an end.
pub(super) fn cut_off(subject: &ShownRunFacts<'_>) -> Option<String> {
    let history = subject.history();
    let is_cut_off = subject.liveness == Liveness::Gone && history.state.end.is_none();
    is_cut_off.then(|| {
        let last = second_in_zone(history.updated);
        format!(
            "no end is recorded: the process was killed or the machine stopped; \
             the last event is of {last}"
        )
    })
}

/// The limit and what crossed it: `--max-time 10m: 10m 3s used`.
pub(super) fn crossed(limit: &CrossedLimit) -> String {
    let CrossedLimit { option, value, reached } = limit;
    let reached = match *reached {
        LimitReached::Iterations(number) => {
            let are = if number == 1 { "is" } else { "are" };
            format!("{} {are} over", reason::count(number, "iteration"))
        }
        LimitReached::Rounds(number) => {
            let are = if number == 1 { "is" } else { "are" };
            format!("{} {are} over", reason::count(number, "round"))
        }
        LimitReached::NothingNew(number) => {
            format!(
                "{} in a row without a new state of the work tree",
                reason::count(number, "iteration")
            )
        }
        LimitReached::Time(used) => format!("{} used", short_duration(used)),
        LimitReached::Silence => "no progress in this time".to_owned(),
        LimitReached::Cost(spend) if spend.cost() == Cost::Unknown => {
            "the cost of the agents is unknown".to_owned()
        }
        LimitReached::Cost(spend) => format!("{} spent", spend.cost()),
        LimitReached::Wait(Some(resets)) => {
            format!("the limit of the provider is reset at {}", minute_in_zone(resets))
        }
        LimitReached::Quota(exceeded) => {
            let (window, used) = (exceeded.window.word(), exceeded.used);
            let until = minute_in_zone(exceeded.until);
            format!("{used} % of the account's {window} window is used, too much until {until}")
        }
        LimitReached::Wait(None) => "the provider did not serve the agent in this time".to_owned(),
    };
    format!("{option} {value}: {reached}")
}

/// The last round of the step's group, if it was refused.
fn last_refusal(history: &RunHistory, evidence: Option<&Evidence<'_>>) -> Option<String> {
    let groups = history.state.plan.enclosing_repeated_groups(evidence?.step);
    let refused = groups.into_iter().find_map(|group| {
        let (round, refusal) = history.flow.refused_rounds(group.number).last()?;
        let of = group.rounds.map(|rounds| format!(" of {rounds}")).unwrap_or_default();
        let by = rounds::refused_by(&history.state.plan, refusal);
        Some(format!("round {round}{of} {by}"))
    });
    refused.filter(|_| history.state.end != Some(RunEnd::Complete))
}

/// The last iterations without a new work tree state, and their cost.
fn stagnation_text(last: StagnationEvidence) -> String {
    let StagnationEvidence { iterations, duration, spend } = last;
    let cost = spend::known(spend).map(|spend| format!(", {}", spend::tokens_and_cost(spend)));
    let iterations = match iterations {
        1 => "the last iteration".to_owned(),
        number => format!("the last {number} iterations"),
    };
    format!("{iterations}: {}{}", short_duration(duration), cost.unwrap_or_default())
}

/// Steps, iterations, commits, spend and tasks.
fn done(history: &RunHistory) -> String {
    let state = &history.state;
    let (complete, all) = (state.complete_steps(), state.steps_on_path().len());
    let steps = format!("{complete} of {all} steps{}", steering::left_out(state));
    let tasks =
        history.task_counts.map(|counts| format!(", {} of {} tasks", counts.done, counts.total));
    format!("{steps}, {}{}", page::totals(history), tasks.unwrap_or_default())
}

/// The remaining steps and tasks.
fn remaining_work(history: &RunHistory) -> Option<String> {
    let state = &history.state;
    let steps =
        state.plan.steps.iter().zip(&state.steps).filter(|(_, step)| !step.allows_next_step());
    let on_path = state.steps_on_path();
    let steps: Vec<String> = steps
        .filter(|(plan, _)| on_path.contains(&plan.number))
        .map(|(plan, _)| {
            let name = questions::step_name(&state.plan, plan.number);
            format!("step {} ({name})", plan.number)
        })
        .collect();
    let open = &history.open_tasks;
    let tasks: Vec<String> = open.iter().take(MAX_TASKS).map(task).collect();
    let all = history.task_counts.map_or(open.len(), |counts| counts.open() as usize);
    let steps = (!steps.is_empty()).then(|| text::join_with_and(&steps));
    let more = all.saturating_sub(tasks.len());
    let tasks = (!tasks.is_empty()).then(|| text::join_with_more(&tasks, more));
    let left: Vec<String> = steps.into_iter().chain(tasks).collect();
    (!left.is_empty()).then(|| left.join("; "))
}

fn task(task: &OpenTask) -> String {
    let status = match (task.status, &task.reason) {
        (OpenTaskStatus::Blocked, Some(reason)) => format!(" (blocked: {reason})"),
        (OpenTaskStatus::Blocked, None) => " (blocked)".to_owned(),
        (OpenTaskStatus::InProgress, _) => " (in progress)".to_owned(),
        (OpenTaskStatus::ToDo, _) => String::new(),
    };
    visible(&format!("{}{status}", task.id))
}

/// The last verdicts, each with a comparison of its work tree.
fn last_iterations(evidence: &Evidence<'_>, history: &RunHistory) -> String {
    let step = history.state.plan.step(evidence.step);
    if evidence.iterations.is_empty() {
        return String::new();
    }
    let rows = evidence.iterations.iter().map(|(record, change)| {
        vec![
            TableCell::new(record.unit.iteration.to_string()),
            TableCell::new(iteration::verdict(step, record)),
            TableCell::new(tree(record, *change)),
            TableCell::new(iterations::reason_of(record)),
        ]
    });
    let table = indented(&rows.collect::<Vec<_>>(), "  ");
    let round = history.innermost_round(evidence.step);
    let round = round.map(|(_, round)| format!(" in round {round}")).unwrap_or_default();
    format!("Last iterations of step {}{round}:\n{table}", evidence.step)
}

/// The work tree after an iteration, compared with those before.
fn tree(record: &IterationRecord, change: IterationTreeChange) -> String {
    let id = record.report.observation.tree.as_ref().map(|tree| {
        let id: String = tree.0.chars().take(7).collect();
        format!("tree {}", visible(&id))
    });
    let id = id.unwrap_or_default();
    match change {
        IterationTreeChange::Unknown => String::new(),
        IterationTreeChange::New => format!("{id}: new"),
        IterationTreeChange::None => format!("{id}: no change"),
        IterationTreeChange::BackTo(0) => format!("{id}: as before the first iteration"),
        IterationTreeChange::BackTo(iteration) => format!("{id}: as after iteration {iteration}"),
    }
}

/// The checks that failed last, with the end of their output.
fn failed_checks(checks: &[&CheckReport]) -> String {
    let lines = checks.iter().map(|check| {
        let why = visible(check.message.as_deref().unwrap_or(check.outcome.as_str()));
        let tail = checks::tail(check, CheckDetail::Last);
        let tail = tail.iter().map(|line| format!("{}\n", paint(DIM, &format!("  | {line}"))));
        format!("Check failed: {}: {why}\n{}", checks::name(&check.name), tail.collect::<String>())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use forkhestra_core::cost::{Dollars, Spend};

    use super::*;

    #[test]
    fn a_crossed_cost_limit_is_a_sentence_with_or_without_a_known_cost() {
        let dollars = Dollars::from_nanos(1_200_000_000);
        for (spend, expected) in [
            (Spend { unpriced: true, ..Spend::default() }, "the cost of the agents is unknown"),
            (Spend { dollars, ..Spend::default() }, "$1.2000 spent"),
            (Spend { dollars, unpriced: true, ..Spend::default() }, "at least $1.2000 spent"),
        ] {
            let limit = CrossedLimit {
                option: "--max-cost".to_owned(),
                value: "$1.00".to_owned(),
                reached: LimitReached::Cost(spend),
            };
            assert_eq!(crossed(&limit), format!("--max-cost $1.00: {expected}"));
        }
    }
}
