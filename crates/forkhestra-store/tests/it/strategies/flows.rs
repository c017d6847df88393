//! Strategies for events about groups, questions and conditions.

use forkhestra_core::event::{Answer, AnswerSource, EventKind, Fingerprint};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::checks::check_report;
use super::timestamp;

pub(super) fn kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![round_kind().boxed(), question_kind().boxed(), condition_kind().boxed()]
}

fn round_kind() -> impl Strategy<Value = EventKind> {
    let place = || (1usize.., 1usize..);
    let reason = (of(any::<String>()), of(any::<String>().prop_map(Fingerprint)));
    prop_oneof![
        (1usize.., 1u32..).prop_map(|(group, round)| EventKind::RoundStarted { group, round }),
        (place(), vec(check_report(), 0..3)).prop_map(|((step, group), checks)| {
            EventKind::RoundChecked { step, group, checks }
        }),
        (place(), 1u32.., reason).prop_map(|((step, group), round, (reason, tree))| {
            EventKind::RoundRefused { step, group, round, reason, tree }
        }),
    ]
}

fn question_kind() -> impl Strategy<Value = EventKind> {
    let by = select(vec![AnswerSource::Person, AnswerSource::Timeout, AnswerSource::YesOption]);
    prop_oneof![
        (1usize.., any::<u32>(), of(any::<String>()), of(timestamp())).prop_map(
            |(step, question, text, until)| EventKind::Asked { step, question, text, until }
        ),
        (1usize.., any::<u32>(), any::<bool>(), of(any::<String>()), by).prop_map(
            |(step, question, approved, text, by)| {
                let answer = Answer { question, approved, text, by };
                EventKind::Answered { step, answer }
            }
        ),
    ]
}

fn condition_kind() -> impl Strategy<Value = EventKind> {
    (1usize.., 1usize.., any::<bool>(), check_report()).prop_map(|(step, number, holds, check)| {
        EventKind::ConditionChecked { step, number, holds, check }
    })
}
