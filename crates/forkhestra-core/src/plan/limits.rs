//! Limits: the command line decides, then the step, then the chain, then what is usual.

use super::build::{Builder, Draft};
use super::origin::{Origin, Sourced};
use super::types::{RunLimits, StepLimits};
use crate::config::{ChainEntry, Layer, Limits};
use crate::limit::{Limit, Time};
use crate::source::Spanned;

/// Long enough for any build, short enough to save the night.
const IDLE_TIMEOUT: Time = Time::from_secs(30 * 60);
/// Usage windows of providers are five hours long.
const MAX_WAIT: Time = Time::from_secs(6 * 60 * 60);

/// Reads one member of an object of limits.
type Member<T> = fn(&Limits) -> Option<&Spanned<Limit<T>>>;

impl Builder<'_> {
    pub(super) fn run_limits(&self, chain: Option<(&Layer, &ChainEntry)>) -> RunLimits {
        let limits = chain.and_then(|(layer, chain)| Some((layer, &chain.limits.as_ref()?.value)));
        let requested = &self.request.limits;
        RunLimits {
            time: decide(
                "--max-time",
                requested.max_time,
                &[limits],
                |l| l.time.as_ref(),
                Limit::Off,
            ),
            cost: decide(
                "--max-cost",
                requested.max_cost,
                &[limits],
                |l| l.cost.as_ref(),
                Limit::Off,
            ),
        }
    }

    pub(super) fn step_limits(&self, draft: &Draft<'_>) -> StepLimits {
        let in_config = draft.in_config();
        let step =
            in_config.and_then(|(layer, _, step)| Some((layer, &step.limits.as_ref()?.value)));
        let chain =
            in_config.and_then(|(layer, chain, _)| Some((layer, &chain.limits.as_ref()?.value)));
        let requested = &self.request.limits;
        let both = [step, chain];
        StepLimits {
            timeout: decide(
                "--timeout",
                requested.timeout,
                &both,
                |l| l.timeout.as_ref(),
                Limit::Off,
            ),
            idle_timeout: decide(
                "--idle-timeout",
                requested.idle_timeout,
                &both,
                |l| l.idle_timeout.as_ref(),
                Limit::At(IDLE_TIMEOUT),
            ),
            // In a chain these two are limits of the run.
            time: decide("", None, &[step], |l| l.time.as_ref(), Limit::Off),
            cost: decide("", None, &[step], |l| l.cost.as_ref(), Limit::Off),
            stagnation: decide(
                "--stagnation",
                requested.stagnation,
                &both,
                |l| l.stagnation.as_ref(),
                Limit::Off,
            ),
            max_wait: decide(
                "--max-wait",
                requested.max_wait,
                &both,
                |l| l.max_wait.as_ref(),
                Limit::At(MAX_WAIT),
            ),
        }
    }
}

fn decide<T: Copy>(
    flag: &'static str,
    requested: Option<Limit<T>>,
    written: &[Option<(&Layer, &Limits)>],
    member: Member<T>,
    usual: Limit<T>,
) -> Sourced<Limit<T>> {
    if let Some(limit) = requested {
        return Sourced::new(limit, Origin::Flag(flag));
    }
    let found = written.iter().flatten().find_map(|(layer, limits)| Some((layer, member(limits)?)));
    match found {
        Some((layer, limit)) => Sourced::new(limit.value, Origin::file(layer, limit.span)),
        None => Sourced::default(usual),
    }
}
