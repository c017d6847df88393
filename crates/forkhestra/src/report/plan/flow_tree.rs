//! The steps of a plan with groups, questions, alternatives or conditions, as an indented tree.

use forkhestra_core::limit::{LIMITS, Limit};
use forkhestra_core::plan::{
    Flow, FlowBound, FlowGroup, FlowStage, LanedStage, Plan, PlanCheck, PlanQuestion, PlanStep,
    Sourced, ValueOrigin,
};
use forkhestra_core::text;
use typeset::style::{NAME, WARNING, paint};
use typeset::text::{visible, visible_lines};

use super::dry_run::{DryRunEntry, Verbosity, mode};
use super::lanes::{self, LaneReport};
use super::step;
use crate::project::project_location::ProjectLocation;

/// How far a level is indented, and the entries below a name.
const INDENT: usize = 2;

/// Renders the steps of a flow.
pub(super) fn render(
    flow: &Flow,
    plan: &Plan,
    project: &ProjectLocation,
    detail: Verbosity,
    lanes: Option<LaneReport>,
) -> String {
    let digits = plan.steps.len().to_string().len();
    FlowTree { plan, project, detail, lanes, digits }.flow(flow, 0)
}

/// The most that a run can execute: `77 iterations, 1 question`.
pub(super) fn bound(plan: &Plan) -> DryRunEntry {
    let FlowBound { iterations, questions } = plan.bound();
    let questions = if plan.approves_all { 0 } else { questions };
    // The sums saturate.
    let is_countable = iterations.max(questions) < u64::MAX;
    let amount = |number, noun| match number {
        u64::MAX => format!("more than {number} {noun}s"),
        number => text::count(number, noun),
    };
    let questions = match questions {
        0 => String::new(),
        number => format!(", {}", amount(number, "question")),
    };
    let agents = match plan.agents_at_once() {
        0 | 1 => String::new(),
        agents => format!(", {agents} agents at once"),
    };
    let text = amount(iterations, "iteration") + &agents + &questions;
    DryRunEntry::new(if is_countable { "at most" } else { "in all" }, text)
}

struct FlowTree<'a> {
    plan: &'a Plan,
    project: &'a ProjectLocation,
    detail: Verbosity,
    /// What lanes have in common; none if there are none.
    lanes: Option<LaneReport>,
    /// The width of the longest number of a step.
    digits: usize,
}

impl FlowTree<'_> {
    fn flow(&self, flow: &Flow, depth: usize) -> String {
        flow.0.iter().map(|stage| self.stage(stage, depth)).collect()
    }

    fn stage(&self, stage: &FlowStage, depth: usize) -> String {
        match stage {
            FlowStage::Step(number) => {
                let step = self.plan.step(*number);
                step.map_or_else(String::new, |step| self.step(step, depth))
            }
            FlowStage::Group(group) => self.group(group, depth),
            FlowStage::Parallel(branches) => self.parallel(branches, depth),
            FlowStage::Alternatives(flows) => {
                let Some((first, others)) = flows.split_first() else { return String::new() };
                let line = self.line("else", depth);
                let others = others.iter().map(|flow| line.clone() + &self.flow(flow, depth + 1));
                self.flow(first, depth) + &others.collect::<String>()
            }
        }
    }

    /// Parallel stages, with a line between two branches.
    fn parallel(&self, branches: &[Flow], depth: usize) -> String {
        let entries = self.entries(&self.lane_entries(LanedStage::Parallel(branches)), depth + 1);
        let and = self.line("and", depth);
        let shown = branches.iter().map(|branch| self.flow(branch, depth + 1));
        let shown: Vec<String> = shown.collect();
        self.line("at the same time", depth) + &entries + &shown.join(&and)
    }

    fn lane_entries(&self, stage: LanedStage<'_>) -> Vec<DryRunEntry> {
        self.lanes.iter().flat_map(|report| report.entries(stage, self.plan)).collect()
    }

    fn step(&self, step: &PlanStep, depth: usize) -> String {
        let own = step.conditions.iter().filter(|condition| condition.group.is_none());
        let mut entries: Vec<DryRunEntry> =
            own.map(|condition| condition_entry(&condition.check)).collect();
        let (name, below) = match step.question() {
            Some(question) => {
                entries.extend(text_entry(question));
                let waits = self.line(&self.waits(question), depth + 1);
                (format!("{} decides", paint(NAME, "a person")), waits)
            }
            None => {
                entries.extend(lanes::of_step(self.lanes.as_ref(), step, self.plan));
                entries.extend(step::entries(step, self.plan, self.project, self.detail));
                let name = paint(NAME, &visible(&step.agent.name));
                (format!("{name} - {}", mode(step)), String::new())
            }
        };
        let indent = " ".repeat(INDENT * depth);
        let heading = format!("  {:>1$}. {indent}{name}\n", step.number, self.digits);
        heading + &self.entries(&entries, depth + 1) + &below
    }

    fn group(&self, group: &FlowGroup, depth: usize) -> String {
        let heading = match group.rounds {
            Some(rounds) => {
                let rounds = text::count(rounds.get(), "round");
                match group.lanes {
                    Some(lanes) => format!("up to {rounds}, {lanes} at a time, of"),
                    None => format!("up to {rounds} of"),
                }
            }
            None => "a group of".to_owned(),
        };
        let first = group.stages.steps().first().and_then(|step| self.plan.step(*step));
        let conditions = first.into_iter().flat_map(|step| &step.conditions);
        let own = conditions.filter(|condition| condition.group == Some(group.number));
        let mut entries: Vec<DryRunEntry> =
            own.map(|condition| condition_entry(&condition.check)).collect();
        if group.lanes.is_some() {
            entries.extend(self.lane_entries(LanedStage::Group(group)));
        }
        entries.extend(
            LIMITS.iter().filter_map(|row| {
                step::limit(row.title, &row.of_group(&group.limits)?, self.detail)
            }),
        );
        if group.rounds.is_none() && entries.is_empty() && group.stages.0.len() == 1 {
            // The parentheses only hold one part together.
            return self.flow(&group.stages, depth);
        }
        let accepted = group.rounds.map(|_| self.acceptance(group));
        self.line(&heading, depth)
            + &self.entries(&entries, depth + 1)
            + &self.flow(&group.stages, depth + 1)
            + &self.entries(accepted.as_slice(), depth)
    }

    /// Who or what decides about a round.
    fn acceptance(&self, group: &FlowGroup) -> DryRunEntry {
        let deciding = group.stages.deciding_steps();
        let steps: Vec<String> = deciding.iter().map(|step| format!("step {step}")).collect();
        // Every deciding step has the same checks.
        let checks = deciding.first().and_then(|step| self.plan.step(*step));
        let checks = checks.into_iter().flat_map(|step| &step.round_checks);
        let checks = checks.filter(|check| check.group == group.number).map(|check| &check.check);
        let checks: Vec<&Sourced<PlanCheck>> = checks.collect();
        let named = checks.iter().map(|check| format!("check {}", step::check_text(&check.value)));
        let parts: Vec<String> = std::iter::once(text::join_with_or(&steps)).chain(named).collect();
        let entry = DryRunEntry::new("a round is accepted by", parts.join(", "));
        checks.into_iter().fold(entry, |entry, check| match &check.source {
            // As for checks of steps: the user did not write it.
            ValueOrigin::Implied(reason) => {
                let name = step::check_text(&check.value);
                entry.note(&format!("check {name} added because {reason}"))
            }
            source => entry.from([source]),
        })
    }

    /// How long a question waits, and for what.
    fn waits(&self, question: &PlanQuestion) -> String {
        if self.plan.approves_all {
            return format!("{} (--yes)", paint(WARNING, "approved without asking"));
        }
        let wait = match (question.timeout, question.approves_on_timeout) {
            (Limit::Off, _) => "waits as long as it takes".to_owned(),
            (Limit::At(time), true) => {
                format!("waits up to {time}, then it is {}", paint(WARNING, "APPROVED"))
            }
            (Limit::At(time), false) => format!("waits up to {time}, then it is denied"),
        };
        format!("{wait}; answer with forkhestra approve or deny")
    }

    fn entries(&self, entries: &[DryRunEntry], depth: usize) -> String {
        let indent = self.indent(depth);
        entries.iter().map(|entry| entry.render(&indent, self.detail)).collect()
    }

    fn line(&self, text: &str, depth: usize) -> String {
        format!("{}{text}\n", self.indent(depth))
    }

    /// The space in front of a text below the names of a level.
    fn indent(&self, depth: usize) -> String {
        let number = "  . ".len() + self.digits;
        " ".repeat(number + INDENT * depth)
    }
}

fn condition_entry(check: &Sourced<PlanCheck>) -> DryRunEntry {
    step::check_entry("if", check).suffixed(", otherwise not needed")
}

fn text_entry(question: &PlanQuestion) -> Option<DryRunEntry> {
    let lines = visible_lines(question.text.as_deref()?);
    Some(DryRunEntry::lines("asks", lines))
}
