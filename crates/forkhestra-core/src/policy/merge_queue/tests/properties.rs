//! Properties of every queue: any entries that are red, in conflict or contained in others, at any time.

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::queue_simulation::{QueueEvent, QueueSimulation};
use super::repository_model::{Content, RepositoryModel};
use crate::policy::LandingVerdict;

const LAST: u32 = 14;
const CHECKS: usize = 3;

fn any_model() -> impl Strategy<Value = RepositoryModel> {
    let pairs = |most| btree_set((1..=LAST, 1..=LAST), 0..most);
    let red = btree_set((1..=LAST, 1..=CHECKS), 0..8);
    (0..=CHECKS, btree_set(1..=CHECKS, 0..2), red, pairs(10), pairs(4)).prop_map(
        |(checks, red_at_start, red, conflicts, contains)| RepositoryModel {
            checks,
            red_at_start,
            red,
            conflicts,
            contains,
            seed: None,
        },
    )
}

fn arrivals_and_answers() -> impl Strategy<Value = Vec<QueueEvent>> {
    vec(prop_oneof![Just(QueueEvent::Arrive), Just(QueueEvent::Answer)], 0..80)
}

fn any_events() -> impl Strategy<Value = Vec<QueueEvent>> {
    let event = prop_oneof![
        8 => Just(QueueEvent::Arrive),
        8 => Just(QueueEvent::Answer),
        1 => (1..=LAST).prop_map(QueueEvent::Withdraw),
        1 => Just(QueueEvent::Crash),
    ];
    vec(event, 0..80)
}

fn simulate(model: RepositoryModel, events: &[QueueEvent], last: u32) -> QueueSimulation {
    let mut simulation = QueueSimulation::new(model);
    for event in events {
        simulation.apply(*event, last);
    }
    simulation.finish(last);
    simulation
}

/// What lands if one entry after the other is merged and checked.
fn landed_one_by_one(simulation: &QueueSimulation) -> Vec<u32> {
    let model = &simulation.model;
    let (mut landed, mut content) = (Vec::new(), Content::new());
    for number in &simulation.arrived {
        let with_entry = &content | &model.content_of(*number);
        let baseline = model.results(&content);
        let verdict = model.results(&with_entry).verdict(Some(&baseline), &model.check_numbers());
        let is_good = with_entry == content
            || (!model.is_conflict(&content, *number) && verdict == LandingVerdict::Acceptable);
        if is_good && !simulation.withdrawn.contains(number) {
            landed.push(*number);
            content = with_entry;
        }
    }
    landed
}

fn assert_exactly_the_good_land(simulation: &QueueSimulation) {
    assert_eq!(simulation.landed, landed_one_by_one(simulation));
    let ends = [&simulation.landed, &simulation.refused, &simulation.withdrawn];
    let ended: Vec<u32> = ends.into_iter().flatten().copied().collect();
    assert_eq!(ended.len(), LAST as usize);
    assert_eq!(BTreeSet::from_iter(ended), (1..=LAST).collect());
}

proptest! {
    #[test]
    fn exactly_the_good_entries_land_with_few_checks(
        model in any_model(),
        events in arrivals_and_answers(),
    ) {
        let simulation = simulate(model, &events, LAST);
        assert_exactly_the_good_land(&simulation);
        simulation.assert_checks_are_few();
    }

    #[test]
    fn exactly_the_good_entries_land_after_any_withdrawal_and_crash(
        model in any_model(),
        events in any_events(),
    ) {
        assert_exactly_the_good_land(&simulate(model, &events, LAST));
    }

    #[test]
    fn a_crash_after_any_event_changes_no_end(
        model in any_model(),
        events in arrivals_and_answers(),
        index in any::<prop::sample::Index>(),
    ) {
        let whole = simulate(model.clone(), &events, LAST);
        let (before, after) = events.split_at(index.index(events.len() + 1));
        let resumed = simulate(model, &[before, &[QueueEvent::Crash], after].concat(), LAST);
        prop_assert_eq!(resumed.landed, whole.landed);
        prop_assert_eq!(BTreeSet::from_iter(resumed.refused), BTreeSet::from_iter(whole.refused));
    }

    #[test]
    fn checks_without_any_rule_turn_no_green_check_red(
        model in any_model(),
        seed in any::<u64>(),
        events in any_events(),
    ) {
        simulate(RepositoryModel { seed: Some(seed), ..model }, &events, LAST);
    }
}

/// Every subset of red entries of one batch, up to eight of them.
#[test]
fn every_red_subset_of_a_batch_is_found_with_few_checks() {
    for last in 1..=8_u32 {
        for subset in 0..1_u32 << last {
            let is_red = |number: &u32| subset >> (number - 1) & 1 == 1;
            let red: BTreeSet<u32> = (1..=last).filter(is_red).collect();
            let entries = red.iter().map(|number| (*number, 1)).collect();
            let model = RepositoryModel { checks: 1, red: entries, ..RepositoryModel::default() };
            let mut events = vec![QueueEvent::Arrive; last as usize];
            events.push(QueueEvent::Crash);
            let simulation = simulate(model, &events, last);
            assert_eq!(BTreeSet::from_iter(simulation.refused.iter().copied()), red);
            let good: Vec<u32> = (1..=last).filter(|number| !red.contains(number)).collect();
            assert_eq!(simulation.landed, good);
            let halvings = last.next_power_of_two().ilog2() as usize;
            let checks: usize = simulation.checks.values().sum();
            assert!(checks <= 1 + 2 * red.len() * halvings, "{red:?} of {last}: {checks}");
        }
    }
}
