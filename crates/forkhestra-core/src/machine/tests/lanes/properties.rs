//! Properties of every run with lanes: any scripts, any order of inputs, any requests.

use proptest::prelude::*;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{one_step, parallel, with_check, with_landing_check};
use crate::config::CheckWhen;
use crate::control::ControlRequest;
use crate::event::{CancelCause, EventKind, LimitChanges, OutcomeClass};
use crate::machine::tests::operator::properties::any_request;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::plan::Plan;

/// The plan and the surroundings of a run, as numbers.
#[derive(Debug, Clone)]
struct RandomRun {
    lanes: u8,
    iterations: u32,
    branches: bool,
    landing: bool,
    completion: bool,
    agents: Vec<RandomAgent>,
    delays: Vec<u64>,
    /// Which iterations are in conflict with which.
    conflicts: Vec<(u32, u32)>,
    /// Iterations whose work turns a check red.
    red: Vec<u32>,
    held: Vec<bool>,
}

#[derive(Debug, Clone)]
struct RandomAgent {
    takes: u64,
    commits: bool,
    claims: bool,
    repairs: bool,
    crashes: bool,
    is_limited: bool,
    hangs: bool,
}

prop_compose! {
    fn random_agent()(
        takes in 1..400_u64,
        commits in prop::bool::weighted(0.8),
        claims in prop::bool::weighted(0.15),
        repairs in prop::bool::weighted(0.7),
        crashes in prop::bool::weighted(0.1),
        is_limited in prop::bool::weighted(0.08),
        hangs in prop::bool::weighted(0.05),
    ) -> RandomAgent {
        RandomAgent { takes, commits, claims, repairs, crashes, is_limited, hangs }
    }
}

prop_compose! {
    fn random_run()(
        lanes in 2..5_u8,
        iterations in 1..12_u32,
        branches in prop::bool::weighted(0.3),
        landing in any::<bool>(),
        completion in any::<bool>(),
        agents in prop::collection::vec(random_agent(), 1..8),
        delays in prop::collection::vec(prop_oneof![0..5_u64, 0..500_u64], 1..8),
        conflicts in prop::collection::vec((1..12_u32, 1..12_u32), 0..6),
        red in prop::collection::vec(1..12_u32, 0..3),
        held in prop::collection::vec(prop::bool::weighted(0.2), 1..4),
    ) -> RandomRun {
        RandomRun { lanes, iterations, branches, landing, completion, agents, delays, conflicts, red, held }
    }
}

impl RandomRun {
    fn plan(&self) -> Plan {
        let count = self.iterations;
        let plan = match self.branches {
            true => parallel(&format!("a:{count} -> b:{count} -> c"), 1..=2),
            false => one_step(&format!("a:{count} -> c"), self.lanes),
        };
        let plan = if self.landing { with_landing_check(plan) } else { plan };
        let mut plan = if self.completion { with_check(plan, CheckWhen::Completion) } else { plan };
        for step in &mut plan.steps {
            step.limits.timeout.value = crate::machine::tests::limit("1m").expect("there is one");
        }
        plan
    }

    fn scripts(&self) -> LaneScripts {
        let of = |name: &str| name.split('.').nth(1).and_then(|number| number.parse::<u32>().ok());
        let Self { agents, delays, conflicts, red, held, .. } = self.clone();
        LaneScripts {
            agent: Box::new(move |start| {
                let index = start.unit.step * 5 + start.unit.iteration as usize;
                let agent = &agents[index % agents.len()];
                let process = match agent {
                    _ if agent.hangs => SimulatedAgent::hanging(),
                    // It is served at the second attempt.
                    _ if agent.is_limited && start.unit.attempt == 1 => {
                        let refused = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit);
                        refused.with(|stream| stream.resets_in = Some(2))
                    }
                    _ => SimulatedAgent::exiting(i32::from(agent.crashes)),
                };
                let exits_at = process.exits_at.map(|_| agent.takes);
                let says_done_at = agent.claims.then_some(1);
                let process = SimulatedAgent { exits_at, says_done_at, ..process };
                let merges = agent.repairs && start.feedback.is_some();
                LaneAgent { process, commits: agent.commits, merges }
            }),
            job: Box::new(move |start| {
                let is_red =
                    start.tree.iter().any(|unit| of(unit).is_some_and(|of| red.contains(&of)));
                AuxJobScript::exiting(i32::from(is_red))
            }),
            conflicts: Box::new(move |one, other| {
                let pair = of(one).zip(of(other));
                pair.is_some_and(|(one, other)| conflicts.contains(&(one, other)))
            }),
            held: Box::new(move |attempt| {
                held[attempt % held.len()].then(|| "a.txt is in the way".to_owned())
            }),
            delay: Box::new(move |number| delays[number % delays.len()]),
            ..LaneScripts::default()
        }
    }
}

fn any_cancel() -> impl Strategy<Value = Option<(u64, CancelCause)>> {
    let by = prop::sample::select(vec![
        CancelCause::Interrupt,
        CancelCause::Terminate,
        CancelCause::GuardLost,
    ]);
    prop::option::weighted(0.3, (0..3000_u64, by))
}

/// No iteration beyond the limit that holds then, and no more agents at once than lanes.
fn assert_limits_hold(random: &RandomRun, run: &LanesSimulation) {
    let most = if random.branches { 2 } else { usize::from(random.lanes) };
    assert!(run.most_agents <= most, "{} agents", run.most_agents);
    let changes = run.kinds().any(|kind| matches!(kind, EventKind::LimitsChanged { .. }));
    for start in run.started.iter().filter(|start| start.lane.is_some() && !changes) {
        assert!(start.unit.iteration <= random.iterations, "{}", start.unit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_run_with_lanes_ends_within_its_limits_and_loses_nothing(
        random in random_run(),
        requests in prop::collection::vec((0..3000_u64, any_request()), 0..4),
        cancel in any_cancel(),
    ) {
        let mut run = LanesSimulation::new(random.plan(), random.scripts());
        for (at, request) in requests {
            let pauses = request == ControlRequest::Pause;
            run = run.asked_at(at, request);
            if pauses {
                run = run.asked_at(at + 400_000, ControlRequest::Continue);
            }
        }
        if let Some((at, by)) = cancel {
            run = run.cancelled_at(at, by);
        }
        let run = run.run();
        assert_rules(&run);
        assert_limits_hold(&random, &run);
        let resumed = run.resumed(LimitChanges::default()).run();
        assert_rules(&resumed);
    }

    #[test]
    fn a_run_with_lanes_that_is_killed_anywhere_pays_nobody_twice(
        random in random_run(),
        at in any::<prop::sample::Index>(),
        late in any::<bool>(),
        again in any::<prop::sample::Index>(),
    ) {
        let run = LanesSimulation::new(random.plan(), random.scripts()).run();
        let events = 1 + at.index(run.events.len() - 1);
        let resumed = run.killed_after(events, late).run();
        assert_rules(&resumed);
        let events = events + again.index(resumed.events.len() - events);
        let twice = resumed.killed_after(events.max(1), late).run();
        assert_rules(&twice);
        assert_limits_hold(&random, &twice);
    }
}
