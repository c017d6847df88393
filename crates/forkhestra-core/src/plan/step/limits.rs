//! The limits of a plan: the command line decides, then the step, then the groups around it, then the
//! chain, then the default. `time` and `cost` of a group hold for all its rounds together, and those
//! of a chain for the run.

use crate::built_in;
use crate::config::{ChainEntry, ConfigEntry, ConfigLayer, Limits};
use crate::diagnostic::source::Spanned;
use crate::limit::{GroupLimits, HumanDuration, Limit, RunLimits, StepLimits};
use crate::plan::flow::flow_draft::FlowDraft;
use crate::plan::flow::plan_flow::Flow;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::value_origin::{Sourced, ValueOrigin};
use crate::text::count::Count;

/// Long enough for any build, short enough for an unattended run.
const IDLE_TIMEOUT: HumanDuration = HumanDuration::from_secs(30 * 60);
/// Usage windows of providers are five hours long.
const MAX_WAIT: HumanDuration = HumanDuration::from_secs(6 * 60 * 60);

/// Reads one member of a limits object.
type LimitField<T> = fn(&Limits) -> Option<&Spanned<Limit<T>>>;

/// The limits of a step or a chain, if it has any, and their file.
type LayerLimits<'a> = Option<(&'a ConfigLayer, &'a Limits)>;

impl PlanBuilder<'_> {
    pub(crate) fn run_limits(&self, chain: Option<ConfigEntry<'_, ChainEntry>>) -> RunLimits {
        let written =
            chain.and_then(|chain| Some((chain.layer, &chain.entry.limits.as_ref()?.value)));
        let typed = &self.request.limits;
        RunLimits {
            time: decide(
                flag("--max-time", typed.run_time),
                &[written],
                |l| l.time.as_ref(),
                Limit::Off,
            ),
            cost: decide(
                flag("--max-cost", typed.run_cost),
                &[written],
                |l| l.cost.as_ref(),
                Limit::Off,
            ),
        }
    }

    /// The flow of a draft with the limits of its groups.
    pub(crate) fn flow(
        &self,
        draft: &FlowDraft<'_>,
        chain: Option<ConfigEntry<'_, ChainEntry>>,
    ) -> Flow {
        let mut flow = draft.flow.clone();
        let layer = chain.map(|chain| chain.layer);
        flow.for_each_group_mut(&mut |group| {
            let written = layer.zip(draft.groups[group.number - 1]);
            let written =
                written.and_then(|(layer, entry)| Some((layer, &entry.limits.as_ref()?.value)));
            group.limits = GroupLimits {
                time: decide(None, &[written], |l| l.time.as_ref(), Limit::Off),
                cost: decide(None, &[written], |l| l.cost.as_ref(), Limit::Off),
            };
        });
        flow
    }

    pub(crate) fn step_limits(&self, draft: &StepDraft<'_>) -> StepLimits {
        let place = draft.in_config();
        let step = place.and_then(|(layer, _, step)| Some((layer, &step.limits.as_ref()?.value)));
        let chain =
            place.and_then(|(layer, chain, _)| Some((layer, &chain.limits.as_ref()?.value)));
        let groups = draft.groups.iter();
        let groups =
            groups.filter_map(|group| Some((place?.0, &group.limits.as_ref()?.value))).map(Some);
        let all: Vec<LayerLimits<'_>> = [step].into_iter().chain(groups).chain([chain]).collect();
        let typed = &self.request.limits;
        let timeout = flag("--timeout", typed.timeout);
        let idle_timeout = flag("--idle-timeout", typed.idle_timeout);
        let stagnation = flag("--stagnation", typed.stagnation);
        let max_wait = flag("--max-wait", typed.max_wait);
        let quota = flag("--quota", typed.quota);
        StepLimits {
            timeout: decide(timeout, &all, |l| l.timeout.as_ref(), Limit::Off),
            idle_timeout: decide(
                idle_timeout,
                &all,
                |l| l.idle_timeout.as_ref(),
                Limit::At(IDLE_TIMEOUT),
            ),
            // In a chain these two are limits of the run, in a group those of all its rounds.
            time: decide(
                flag("--step-time", typed.step_time),
                &[step],
                |l| l.time.as_ref(),
                Limit::Off,
            ),
            cost: decide(
                flag("--step-cost", typed.step_cost),
                &[step],
                |l| l.cost.as_ref(),
                Limit::Off,
            ),
            stagnation: find(stagnation, &all, |l| l.stagnation.as_ref())
                .unwrap_or_else(|| self.default_stagnation(draft)),
            max_wait: decide(max_wait, &all, |l| l.max_wait.as_ref(), Limit::At(MAX_WAIT)),
            quota: decide(quota, &all, |l| l.quota.as_ref(), Limit::Off),
        }
    }
}

impl PlanBuilder<'_> {
    /// The default stagnation limit of a loop.
    fn default_stagnation(&self, draft: &StepDraft<'_>) -> Sourced<Limit<Count>> {
        let of_program = self.request.defaults.stagnation;
        let of_agent = built_in::default_stagnation(draft.agent)
            .filter(|_| of_program == Limit::Off && draft.iterations.is_some());
        match of_agent {
            Some(limit) => {
                let reason = format!("default of {} loops", draft.agent);
                Sourced::new(Limit::At(limit), ValueOrigin::Implied(reason.into()))
            }
            None => Sourced::default(of_program),
        }
    }
}

/// A limit from the command line.
fn flag<T>(name: &'static str, limit: Option<Limit<T>>) -> Option<Sourced<Limit<T>>> {
    limit.map(|limit| Sourced::new(limit, ValueOrigin::Flag(name.into())))
}

fn decide<T: Copy>(
    typed: Option<Sourced<Limit<T>>>,
    written: &[LayerLimits<'_>],
    member: LimitField<T>,
    usual: Limit<T>,
) -> Sourced<Limit<T>> {
    find(typed, written, member).unwrap_or(Sourced::default(usual))
}

/// The limit from the command line or the config, if there is one.
fn find<T: Copy>(
    typed: Option<Sourced<Limit<T>>>,
    written: &[LayerLimits<'_>],
    member: LimitField<T>,
) -> Option<Sourced<Limit<T>>> {
    let from_file = || {
        let (layer, limit) =
            written.iter().flatten().find_map(|(layer, limits)| Some((layer, member(limits)?)))?;
        Some(Sourced::new(limit.value, ValueOrigin::file(layer, limit.span)))
    };
    typed.or_else(from_file)
}
