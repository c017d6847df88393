//! Plans with lanes. The parser of the language does not make them yet.

use crate::check::CheckSpec;
use crate::config::CheckWhen;
use crate::limit::{HumanDuration, Limit};
use crate::machine::tests::plan;
use crate::plan::{Flow, FlowStage, LaneSettings, Plan, PlanCheck, Sourced};
use crate::text::lane_count::LaneCount;

/// A chain whose steps (one-based) each have this many lanes.
pub(in crate::machine::tests) fn laned(chain: &str, lanes: &[(usize, u8)]) -> Plan {
    let mut plan = plan(chain);
    for (step, lanes) in lanes {
        plan.steps[step - 1].lanes =
            Some(LaneCount::new(*lanes).expect("the test's count is right"));
    }
    plan
}

/// One step with this many lanes.
pub(in crate::machine::tests) fn one_step(chain: &str, lanes: u8) -> Plan {
    laned(chain, &[(1, lanes)])
}

/// A chain whose steps from the first to the last of these run as parallel branches.
pub(in crate::machine::tests) fn parallel(
    chain: &str,
    branches: std::ops::RangeInclusive<usize>,
) -> Plan {
    let mut plan = plan(chain);
    let mut stages = Vec::new();
    for step in 1..=plan.steps.len() {
        if step == *branches.start() {
            let of = |step| Flow(vec![FlowStage::Step(step)]);
            stages.push(FlowStage::Parallel(branches.clone().map(of).collect()));
        } else if !branches.contains(&step) {
            stages.push(FlowStage::Step(step));
        }
    }
    plan.flow = Some(Flow(stages));
    plan
}

/// Adds a check to every step.
pub(in crate::machine::tests) fn with_check(mut plan: Plan, when: CheckWhen) -> Plan {
    let steps = plan.steps.iter_mut();
    steps.for_each(|step| {
        let number = step.checks.len() + 1;
        step.checks.push(Sourced::default(PlanCheck {
            check: CheckSpec::Command(format!("check {number}")),
            name: Some(format!("c{number}")),
            when,
            timeout: Limit::At(HumanDuration::from_secs(600)),
            must_fail_first: false,
            runner: None,
        }));
    });
    plan
}

/// Adds a check of merged work to every step.
pub(in crate::machine::tests) fn with_landing_check(plan: Plan) -> Plan {
    with_check(plan, CheckWhen::Landing)
}

/// Lets a command prepare every lane.
pub(in crate::machine::tests) fn with_lane_setup(mut plan: Plan) -> Plan {
    for step in &mut plan.steps {
        step.lane_settings = Some(Sourced::default(LaneSettings {
            setup: Some("npm ci".to_owned()),
            copy: None,
            keep: Vec::new(),
            timeout: Limit::At(HumanDuration::from_secs(60)),
        }));
    }
    plan
}
