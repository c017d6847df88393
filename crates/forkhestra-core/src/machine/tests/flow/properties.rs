//! Properties of every flow.

use proptest::prelude::*;

use super::support::{command, protecting, story_line};
use crate::event::{LimitChanges, OutcomeClass, ProcessEnd};
use crate::id::UnitId;
use crate::machine::tests::properties::{
    agent, assert_nothing_is_paid_twice, unseen_if_given_up, without_reset,
};
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::{fold, outcomes};
use crate::machine::tests::support::simulated_stream::SimulatedStream;
use crate::machine::tests::*;
use crate::plan::{Flow, PlanCondition, RoundCheck};

/// A chain with groups, questions and alternatives.
fn flow_chain() -> impl Strategy<Value = String> {
    let unit = prop_oneof![
        5 => Just("a".to_owned()),
        4 => (1..4_u32).prop_map(|count| format!("a:{count}")),
        1 => Just("?".to_owned()),
    ];
    let stage = |unit: BoxedStrategy<String>| {
        prop_oneof![
            4 => unit.clone(),
            1 => (unit.clone(), unit).prop_map(|(one, other)| format!("{one} else {other}")),
        ]
    };
    let chain = |stage: BoxedStrategy<String>| {
        prop::collection::vec(stage, 1..4).prop_map(|stages| stages.join(" -> "))
    };
    let group = |chain: BoxedStrategy<String>| {
        (chain, prop::option::of(1..4_u32)).prop_map(|(chain, rounds)| match rounds {
            Some(rounds) => format!("({chain}):{rounds}"),
            None => format!("({chain})"),
        })
    };
    let inner = group(chain(stage(unit.clone().boxed()).boxed()).boxed());
    let middle = prop_oneof![3 => unit.clone(), 1 => inner].boxed();
    let outer = group(chain(stage(middle).boxed()).boxed());
    chain(stage(prop_oneof![2 => unit, 2 => outer].boxed()).boxed())
}

/// Adds a check to every repeated group, and conditions to some groups and steps.
fn with_checks(mut plan: Plan, checked: bool, conditions: &[bool]) -> Plan {
    let groups: Vec<_> = plan.flow.iter().flat_map(Flow::groups).cloned().collect();
    for group in groups.iter().filter(|group| group.rounds.is_some() && checked) {
        for step in group.stages.deciding_steps() {
            let check = command("make ci");
            plan.steps[step - 1].round_checks.push(RoundCheck { group: group.number, check });
        }
    }
    let of_groups = groups.iter().zip(conditions.iter().rev());
    for (group, _) in of_groups.filter(|(_, has_condition)| **has_condition) {
        let check = command("is it needed");
        let condition = PlanCondition { check, group: Some(group.number) };
        plan.steps[group.stages.steps()[0] - 1].conditions.push(condition);
    }
    for (step, has_condition) in plan.steps.iter_mut().zip(conditions) {
        let check = command("is it needed");
        step.conditions.extend(has_condition.then_some(PlanCondition { check, group: None }));
    }
    plan
}

/// Checks by what they belong to, the same for each call.
fn checking(run: RunSimulation, exit_codes: Vec<i32>) -> RunSimulation {
    let mut run = run;
    run.aux_jobs.script = Box::new(move |aux_job| {
        let (step, iteration) = match aux_job {
            crate::event::AuxJob::Check { unit, number } => {
                (unit.step + number, unit.iteration as usize)
            }
            _ => (0, 0),
        };
        AuxJobScript::exiting(exit_codes[(step * 5 + iteration * 3) % exit_codes.len()])
    });
    run
}

/// A condition whose command cannot be run has no result.
fn exit_codes_of_checks() -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(prop_oneof![5 => Just(0), 4 => Just(1), 1 => Just(127)], 1..7)
}

fn answering(run: RunSimulation, answers: Vec<bool>) -> RunSimulation {
    run.with_person(move |question| {
        Some((u64::from(question), answers[question as usize % answers.len()]))
    })
}

/// The protected files that are not restored, for each step.
fn unrestored(run: &RunSimulation) -> Vec<Vec<(usize, Vec<String>)>> {
    let state = run.machine.state();
    let of_step = |step: usize| {
        let files = state.unrestored_files(step).into_iter();
        files.map(|files| (files.step, files.paths.listed)).collect()
    };
    (1..=state.steps.len()).map(of_step).collect()
}

/// No more iterations and questions than the dry run says.
fn assert_within_bound(plan: &Plan, run: &RunSimulation) {
    let bound = plan.bound();
    let started: std::collections::BTreeSet<(usize, u32)> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::IterationStarted { unit, .. } => Some((unit.step, unit.iteration)),
            _ => None,
        })
        .collect();
    assert!(started.len() as u64 <= bound.iterations, "{} of {bound:?}", started.len());
    let asked = u64::from(run.machine.state().last_question);
    assert!(asked <= bound.questions, "{asked} of {bound:?}");
}

/// A cut-off attempt changes the number of attempts, so that no agent may be postponed for ever.
fn wait_for_nothing(stream: &mut SimulatedStream) {
    stream.quotas.clear();
    if stream.class.is_waited_for() {
        stream.class = OutcomeClass::Finished;
    }
    stream.futile_at = stream.futile_at.filter(|(_, class)| !class.is_waited_for());
}

/// An agent for every iteration, the same for each attempt.
fn script(agents: Vec<SimulatedAgent>) -> impl Fn(UnitId) -> SimulatedAgent + Clone {
    move |unit| agents[(unit.step * 7 + unit.iteration as usize * 3) % agents.len()].clone()
}

fn usable(agents: Vec<SimulatedAgent>) -> Vec<SimulatedAgent> {
    let agents = agents.into_iter();
    agents
        // Its number is used again, also in another round.
        .filter(|agent| !matches!(agent.end, ProcessEnd::NotStarted { .. }))
        .map(|agent| SimulatedAgent { done_file: false, ..agent })
        .map(|agent| agent.with(wait_for_nothing))
        .map(unseen_if_given_up)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_run_exceeds_the_bound_of_its_plan(
        chain in flow_chain(),
        agents in prop::collection::vec(agent(), 1..12),
        (checked, conditions) in (any::<bool>(), prop::collection::vec(prop::bool::weighted(0.2), 12)),
        exit_codes in exit_codes_of_checks(),
        answers in prop::collection::vec(any::<bool>(), 1..5),
    ) {
        let agents = usable(agents);
        prop_assume!(!agents.is_empty());
        let plan = with_checks(limited(&chain, |limits| limits.timeout = limit("2m")), checked, &conditions);
        let run = RunSimulation::new(plan.clone(), script(agents));
        let run = answering(checking(run, exit_codes), answers).run();
        assert_within_bound(&plan, &run);
        prop_assert_eq!(&fold(&run.events), run.machine.state());
        let state = run.machine.state();
        if run.machine.end() == Some(&RunEnd::Complete) {
            prop_assert_eq!(state.current_step(), None);
            for step in state.steps_on_path() {
                prop_assert!(state.steps[step - 1].allows_next_step(), "step {} of {}", step, chain);
            }
        }
    }

    #[test]
    fn a_flow_resumed_from_any_prefix_ends_as_if_it_had_never_been_cut_off(
        chain in flow_chain(),
        agents in prop::collection::vec(agent(), 1..12),
        (checked, protects, conditions) in
            (any::<bool>(), any::<bool>(), prop::collection::vec(prop::bool::weighted(0.2), 12)),
        exit_codes in exit_codes_of_checks(),
        answers in prop::collection::vec(any::<bool>(), 1..5),
    ) {
        let agents = usable(agents);
        prop_assume!(!agents.is_empty());
        let plan = with_checks(limited(&chain, |limits| limits.timeout = limit("2m")), checked, &conditions);
        let plan = if protects { protecting(plan) } else { plan };
        let script = script(agents);
        let simulated = |run: RunSimulation| answering(checking(run, exit_codes.clone()), answers.clone());
        let whole = simulated(RunSimulation::new(plan, script.clone())).run();
        for cut in 1..=whole.events.len() {
            let prefix = &whole.events[..cut];
            if fold(prefix).end.is_some() {
                continue;
            }
            let rest = simulated(RunSimulation::resumed(prefix, LimitChanges::default(), script.clone()));
            let rest = rest.run();
            let end = |run: &RunSimulation| run.machine.end().map(|end| without_reset(end.clone()));
            prop_assert_eq!(end(&rest), end(&whole), "cut at {} of {}: {}", cut, chain, story_line(&rest));
            prop_assert_eq!(ends(rest.machine.state()), ends(whole.machine.state()));
            prop_assert_eq!(unrestored(&rest), unrestored(&whole), "cut at {} of {}", cut, chain);
            let both = [prefix, &rest.events].concat();
            prop_assert_eq!(&fold(&both), rest.machine.state());
            let (before, after) = (outcomes(prefix), rest.outcomes());
            prop_assert!(before.is_disjoint(&after), "an iteration was run twice");
            let all: std::collections::BTreeSet<_> = before.union(&after).copied().collect();
            prop_assert_eq!(all, whole.outcomes(), "cut at {}", cut);
            assert_nothing_is_paid_twice(prefix, &rest.spawned);
        }
    }
}
