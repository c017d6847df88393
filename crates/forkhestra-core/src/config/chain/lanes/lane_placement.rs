//! Errors about entries that cannot stand in lanes, and about what cannot be repeated.

use crate::config::chain::alternative_entries::AlternativeEntries;
use crate::config::chain::group_entry::GroupEntry;
use crate::config::chain::stage_entry::StageEntry;
use crate::config::decode::decoder::Decoder;
use crate::diagnostic::source::{Span, Spanned};

/// The lanes that an entry is in.
#[derive(Clone, Copy)]
enum OuterLanes {
    None,
    /// The lanes of a group.
    Group(Span),
    /// Parallel stages.
    Parallel(Span),
}

/// Reports the mistakes in the lanes of an entry of a chain and of all entries in it.
pub(crate) fn validate_placement(entry: &Spanned<StageEntry>, decoder: &mut Decoder) {
    check(entry, OuterLanes::None, decoder);
}

fn check(entry: &Spanned<StageEntry>, outer: OuterLanes, decoder: &mut Decoder) {
    match &entry.value {
        StageEntry::Agent(step) => {
            let own = step.lanes.as_ref().or(step.best.as_ref());
            if let Some(own) = own {
                refuse_in_group(own.span, outer, decoder);
            }
        }
        StageEntry::Question(_) => refuse_question(entry.span, outer, decoder),
        StageEntry::Group(group) => check_group(group, outer, decoder),
        StageEntry::Parallel(parallel) => {
            let span = entry.span;
            refuse_in_group(span, outer, decoder);
            if let OuterLanes::Parallel(outer) = outer {
                let message = "parallel stages cannot stand in parallel stages";
                let error = decoder.error(span, message, "the inner ones");
                *error = error.clone().related(outer, "the outer ones");
                error.hints.push("make each of their branches a branch of the outer ones".into());
            }
            let branches = parallel.parallel.value.iter().flat_map(|branch| &branch.value.0);
            branches.for_each(|entry| check(entry, OuterLanes::Parallel(span), decoder));
        }
    }
    if let Some(AlternativeEntries(others)) = entry.value.alternative().map(|other| &other.value) {
        others.iter().for_each(|other| check(other, outer, decoder));
    }
}

fn check_group(group: &GroupEntry, outer: OuterLanes, decoder: &mut Decoder) {
    if let Some(rounds) = &group.rounds
        && let Some(last) = group.group.value.0.last()
        && ends_parallel(last)
    {
        let message = "parallel stages cannot be repeated";
        let error = decoder.error(rounds.span, message, "rounds need one last entry");
        error.hints.push("put an entry behind them, which decides about a round".to_owned());
    }
    let inner = match &group.lanes {
        Some(lanes) => {
            refuse_in_group(lanes.span, outer, decoder);
            OuterLanes::Group(lanes.span)
        }
        None => outer,
    };
    group.group.value.0.iter().for_each(|entry| check(entry, inner, decoder));
}

fn refuse_in_group(inner: Span, outer: OuterLanes, decoder: &mut Decoder) {
    let OuterLanes::Group(outer) = outer else { return };
    let error = decoder.error(inner, "lanes cannot stand in lanes", "lanes inside the group");
    *error = error.clone().related(outer, "lanes of the group");
    error.hints.push("give lanes to the group or to its parts".to_owned());
}

fn refuse_question(question: Span, outer: OuterLanes, decoder: &mut Decoder) {
    let (outer, label) = match outer {
        OuterLanes::None => return,
        OuterLanes::Group(span) => (span, "lanes of the group"),
        OuterLanes::Parallel(span) => (span, "these parallel stages"),
    };
    let error = decoder.error(question, "a question cannot stand in lanes", "this question");
    *error = error.clone().related(outer, label);
    error.hints.push("ask before or after them".to_owned());
}

/// Whether an entry ends with parallel stages. A repeated group ends with all its rounds.
fn ends_parallel(entry: &Spanned<StageEntry>) -> bool {
    let ends = match &entry.value {
        StageEntry::Agent(_) | StageEntry::Question(_) => false,
        StageEntry::Parallel(_) => true,
        StageEntry::Group(group) => {
            group.rounds.is_none() && group.group.value.0.last().is_some_and(ends_parallel)
        }
    };
    let other = entry.value.alternative().and_then(|other| other.value.0.last());
    ends || other.is_some_and(ends_parallel)
}
