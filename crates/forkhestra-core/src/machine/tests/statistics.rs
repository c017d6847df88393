//! Statistics of simulated runs.

use std::time::Duration;

use proptest::prelude::*;

use super::properties::{agent, any_cancel, any_limits, chain, limited_plan, script, wait_less};
use super::support::plan_extras::extras;
use super::*;
use crate::event::LimitChanges;
use crate::history::{Liveness, RunHistory};
use crate::stats::{RunStatistics, StatsQuery, StatsReport};

/// Every amount and every millisecond is in one category.
fn assert_adds_up(events: &[Event]) {
    let history = RunHistory::of(events).expect("the machine's own events fit");
    for liveness in [Liveness::Alive, Liveness::Gone] {
        let statistics = RunStatistics::of(&history, liveness);
        let spend = statistics.spend().unwrap_or_default();
        assert_eq!(statistics.money().total(), spend.dollars);
        if liveness == Liveness::Alive {
            assert_eq!(spend, history.spend().unwrap_or_default());
        }
        let elapsed = events.iter().map(|event| event.elapsed).max().unwrap_or_default();
        let stood_still = statistics.times.paused + statistics.times.asking;
        assert_eq!(statistics.times.total(), elapsed + stood_still);
        let of_tasks =
            statistics.tasks.iter().filter_map(|task| task.spend).sum::<crate::cost::Spend>();
        assert!(of_tasks.dollars <= spend.dollars);
        let day_of = |_| String::new();
        let query = StatsQuery { by: None, since: None, day_of: &day_of };
        let report = StatsReport::of(vec![statistics], query);
        let Some(money) = report.all.money else { continue };
        let parts =
            [money.productive, money.refused, money.no_change, money.aborted, money.running];
        assert_eq!(parts.into_iter().sum::<crate::cost::Dollars>(), money.total);
    }
}

proptest! {
    #[test]
    fn the_statistics_of_every_prefix_of_a_run_add_up(
        chain in chain(),
        limits in any_limits(),
        agents in prop::collection::vec(agent(), 1..12),
        extras in prop::option::of(extras()),
        cancels in prop::collection::vec((0..100_000_u64, any_cancel()), 0..3),
        pauses in prop::collection::vec(0..100_000_u64, 0..3),
        cut in any::<prop::sample::Index>(),
    ) {
        let agents: Vec<SimulatedAgent> =
            agents.into_iter().map(|agent| agent.with(wait_less)).collect();
        let extras = extras.unwrap_or_default();
        let plan = extras.plan(limited_plan(&chain, limits));
        let script = script(agents);
        let mut run = extras.simulation(RunSimulation::new(plan, script.clone()));
        for (at, by) in cancels {
            run = run.cancelled_at(at, by);
        }
        for at in pauses {
            run = run.at(at, Input::Pause);
        }
        let events = run.run().events;
        (1..=events.len()).for_each(|length| assert_adds_up(&events[..length]));
        let mut resumed = events[..=cut.index(events.len())].to_vec();
        let second = RunSimulation::resumed(&resumed, LimitChanges::default(), script);
        resumed.extend(extras.simulation(second).run().events);
        assert_adds_up(&resumed);
    }
}

/// A resume folds the history that was read, with its unrecorded time, and not the journal again.
#[test]
fn a_history_that_goes_on_has_the_times_of_the_journal() {
    let simulation = || RunSimulation::new(plan("a:3"), |_| SimulatedAgent::exiting(0));
    let mut events = simulation().run().events;
    let is_start = |event: &Event| matches!(event.kind, EventKind::IterationStarted { .. });
    let second = events.iter().rposition(is_start).expect("it has three");
    events.truncate(second + 1);
    let mut read = RunHistory::of(&events).expect("they fit");
    read.state.add_lost_time(Duration::from_secs(60));
    let resumed =
        RunSimulation::resumed(&events, LimitChanges::default(), |_| SimulatedAgent::exiting(0))
            .run()
            .events;
    resumed.iter().for_each(|event| read.apply(event).expect("it fits"));
    let whole = RunHistory::of(&[events, resumed].concat()).expect("they fit");
    assert_eq!(read.times(), whole.times());
}
