//! The table of all limits of time, cost and iterations.
//!
//! One row of [`LIMITS`] defines the option of the command line with its help and completion, the
//! key in events and control requests, the member of [`LimitChanges`], the name on the screens, and
//! the field in the limits form of `watch`. `max-iterations` is no row: that limit is the number in
//! `builder:20`, in `PlanStep::iterations`, and [`LimitChanges`] has a member for its change.
//! A new limit is a row here with its member in [`StepLimits`], [`GroupLimits`] or [`RunLimits`], its key in
//! `config/limits.rs`, its default in `plan/step/limits.rs`, and its enforcement in `machine`.

use std::borrow::Cow;
use std::fmt::Display;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::rows::{limits, scoped};
use super::{HumanDuration, Limit, LimitParseError, LimitQuantity, Usd};
use crate::plan::{Sourced, ValueOrigin};
use crate::quota::QuotaLimits;
use crate::text::count::Count;

/// Limits of the whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLimits {
    pub time: Sourced<Limit<HumanDuration>>,
    pub cost: Sourced<Limit<Usd>>,
}

/// Limits of a group of steps, for all its rounds together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupLimits {
    /// Wall time of its steps, checks and conditions.
    pub time: Sourced<Limit<HumanDuration>>,
    pub cost: Sourced<Limit<Usd>>,
}

/// No limits.
impl Default for GroupLimits {
    fn default() -> Self {
        Self { time: Sourced::default(Limit::Off), cost: Sourced::default(Limit::Off) }
    }
}

impl GroupLimits {
    /// Whether it has no limit.
    pub fn is_off(&self) -> bool {
        *self == Self::default()
    }
}

/// Limits of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepLimits {
    /// Wall time of one iteration.
    pub timeout: Sourced<Limit<HumanDuration>>,
    /// Time without progress of an agent.
    pub idle_timeout: Sourced<Limit<HumanDuration>>,
    /// Wall time of the step.
    pub time: Sourced<Limit<HumanDuration>>,
    pub cost: Sourced<Limit<Usd>>,
    /// Iterations without a change.
    pub stagnation: Sourced<Limit<Count>>,
    /// The longest wait for a usage limit.
    pub max_wait: Sourced<Limit<HumanDuration>>,
    /// The share of each window of the account above which no agent is started. Since 2.3.
    #[serde(default = "no_quota", skip_serializing_if = "is_no_quota")]
    pub quota: Sourced<Limit<QuotaLimits>>,
}

impl StepLimits {
    /// No limits.
    pub(crate) const fn off() -> Self {
        Self {
            timeout: Sourced::default(Limit::Off),
            idle_timeout: Sourced::default(Limit::Off),
            time: Sourced::default(Limit::Off),
            cost: Sourced::default(Limit::Off),
            stagnation: Sourced::default(Limit::Off),
            max_wait: Sourced::default(Limit::Off),
            quota: no_quota(),
        }
    }
}

/// The quota of a step without one. What-if cannot simulate this limit: it depends on when agents run.
const fn no_quota() -> Sourced<Limit<QuotaLimits>> {
    Sourced::default(Limit::Off)
}

fn is_no_quota(quota: &Sourced<Limit<QuotaLimits>>) -> bool {
    *quota == no_quota()
}

limits! {
    /// Wall time of one iteration.
    timeout: HumanDuration = "timeout" in step.timeout {
        option: "timeout",
        config: "timeout",
        title: "iteration time",
        label: "timeout",
        help: Some("Time limit of one iteration"),
        help_resume: "Time limit of one iteration",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Silent and idle time of an agent.
    idle_timeout: HumanDuration = "idleTimeout" in step.idle_timeout {
        option: "idle-timeout",
        config: "idleTimeout",
        title: "idle time",
        label: "idle",
        help: Some("Time an agent may make no progress [default: 30m]"),
        help_resume: "Time an agent may make no progress",
        not_simulated: Some("journals do not record agent progress"),
        schema: "NumberOrNull",
    }

    /// Iterations without a change.
    stagnation: Count = "stagnation" in step.stagnation {
        option: "stagnation",
        config: "stagnation",
        title: "stagnation",
        label: "stagnation",
        help: Some("Iterations in a row without a new state of the work tree [default: 3 for loops with the name of a \
                    built-in agent, 2 for planner and task-manager]"),
        help_resume: "Iterations in a row without a new state of the work tree",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Wall time of the run.
    run_time: HumanDuration = "runTime" in run.time {
        option: "max-time",
        config: "time",
        title: "run time",
        label: "run time",
        help: Some("Time limit of the whole run"),
        help_resume: "Time limit of the whole run, counting time already used",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Wall time of each step.
    step_time: HumanDuration = "stepTime" in step.time {
        option: "step-time",
        config: "time",
        title: "step time",
        label: "step time",
        help: None,
        help_resume: "Time limit of each step, counting time already used",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Wall time of each group of steps. Since 3.0.
    group_time: HumanDuration = "groupTime" in group.time {
        option: "group-time",
        config: "time",
        title: "group time",
        label: "group time",
        help: None,
        help_resume: "Time limit of each group for all its rounds, counting time already used",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Cost of the run. Since 2.0.
    run_cost: Usd = "runCost" in run.cost {
        option: "max-cost",
        config: "cost",
        title: "run cost",
        label: "run cost",
        help: Some("Cost limit of the whole run, in US dollars"),
        help_resume: "Cost limit of the whole run in US dollars, counting what was already spent",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Cost of each step. Since 2.0.
    step_cost: Usd = "stepCost" in step.cost {
        option: "step-cost",
        config: "cost",
        title: "step cost",
        label: "step cost",
        help: None,
        help_resume: "Cost limit of each step in US dollars, counting what was already spent",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// Cost of each group of steps. Since 3.0.
    group_cost: Usd = "groupCost" in group.cost {
        option: "group-cost",
        config: "cost",
        title: "group cost",
        label: "group cost",
        help: None,
        help_resume: "Cost limit of each group for all its rounds in US dollars, counting what was already spent",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// The longest wait for a usage limit. Since 2.0.
    max_wait: HumanDuration = "maxWait" in step.max_wait {
        option: "max-wait",
        config: "maxWait",
        title: "wait for usage limits",
        label: "max wait",
        help: Some("Longest wait for a provider's usage limit to reset [default: 6h]"),
        help_resume: "Longest wait for a provider's usage limit to reset",
        not_simulated: None,
        schema: "NumberOrNull",
    }

    /// The share of each window of the account above which no agent is started. Since 2.3.
    quota: QuotaLimits = "quota" in step.quota {
        option: "quota",
        config: "quota",
        title: "account quota",
        label: "quota",
        help: Some("Start no agent while more than this share of the account's 5h or 7d window is used, such as \
                    5h=90%; `even` allows 1/7 more each day (1/5 each hour)"),
        help_resume: "Start no agent while more than this share of the account's 5h or 7d window is used, such as 5h=90%; `even` \
                      allows 1/7 more each day (1/5 each hour)",
        not_simulated: Some("the usage of an account is shared with other programs"),
        schema: "QuotaOrNull",
    }
}

/// What a limit holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitScope {
    Run,
    /// A group of steps, all its rounds together.
    Group,
    /// A step, or each of its iterations.
    Step,
}

/// A row of the table.
#[derive(Debug)]
pub struct LimitOption {
    /// The option, without its dashes.
    pub option: &'static str,
    /// The key in `limits` of the config.
    pub config: &'static str,
    /// The name in the plan that `--dry-run` prints.
    pub title: &'static str,
    /// The short name in `watch`.
    pub label: &'static str,
    /// The placeholder of its value.
    pub value_name: &'static str,
    /// Examples of its value.
    pub example: &'static str,
    /// The help of a new run; none if only a resumed run has the option.
    pub help: Option<&'static str>,
    /// The help of `resume` and `set`.
    pub help_resume: &'static str,
    /// Why `what-if` cannot simulate it from the journal of a run; none if it can.
    pub not_simulated: Option<&'static str>,
    /// What it limits.
    pub scope: LimitScope,
    set: fn(&mut LimitChanges, &str) -> Result<(), LimitParseError>,
    get: fn(&LimitChanges) -> Option<String>,
    only: fn(&LimitChanges) -> Option<LimitChanges>,
    nth: fn(NonZeroU32) -> LimitChanges,
    change_run: fn(&LimitChanges, &mut RunLimits),
    change_group: fn(&LimitChanges, &mut GroupLimits),
    change_step: fn(&LimitChanges, &mut StepLimits),
    of_step: fn(&StepLimits) -> Option<Sourced<Limit<String>>>,
    of_group: fn(&GroupLimits) -> Option<Sourced<Limit<String>>>,
    current: fn(&RunLimits, Option<&GroupLimits>, &StepLimits) -> Option<String>,
}

impl LimitOption {
    /// Parses a value into the changes.
    pub fn set(&self, changes: &mut LimitChanges, text: &str) -> Result<(), LimitParseError> {
        (self.set)(changes, text)
    }

    /// The value in the changes, as text.
    pub fn get(&self, changes: &LimitChanges) -> Option<String> {
        (self.get)(changes)
    }

    /// The changes without those of other limits; none if this one is unchanged.
    pub fn only(&self, changes: &LimitChanges) -> Option<LimitChanges> {
        (self.only)(changes)
    }

    /// The change to the value of this number, from the tightest up.
    pub fn nth(&self, number: NonZeroU32) -> LimitChanges {
        (self.nth)(number)
    }

    /// The value of a step, as text; none for a limit of the run.
    pub fn of_step(&self, limits: &StepLimits) -> Option<Sourced<Limit<String>>> {
        (self.of_step)(limits)
    }

    /// The value of a group, as text; none for a limit of a step or the run.
    pub fn of_group(&self, limits: &GroupLimits) -> Option<Sourced<Limit<String>>> {
        (self.of_group)(limits)
    }

    /// The value in a run and its current step, as text; none for a limit of groups if the step is in
    /// none.
    pub fn current(
        &self,
        run: &RunLimits,
        group: Option<&GroupLimits>,
        step: &StepLimits,
    ) -> Option<String> {
        (self.current)(run, group, step)
    }
}

impl LimitChanges {
    /// Applies the changes of run limits.
    pub(crate) fn apply_to_run(&self, limits: &mut RunLimits) {
        LIMITS.iter().for_each(|limit| (limit.change_run)(self, limits));
    }

    /// Applies the changes of group limits.
    pub(crate) fn apply_to_group(&self, limits: &mut GroupLimits) {
        LIMITS.iter().for_each(|limit| (limit.change_group)(self, limits));
    }

    /// Applies the changes of step limits.
    pub(crate) fn apply_to_step(&self, limits: &mut StepLimits) {
        LIMITS.iter().for_each(|limit| (limit.change_step)(self, limits));
    }

    /// The option and the value of each change, in the order of the table.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let iterations = self.iterations.map(|max| ("max-iterations", max.to_string()));
        let rounds = self.rounds.map(|max| ("rounds", max.to_string()));
        let limits = LIMITS.iter().filter_map(|limit| Some((limit.option, limit.get(self)?)));
        iterations.into_iter().chain(rounds).chain(limits).collect()
    }

    /// The changes as options of a command: `--max-time 1h30m`, `--max-cost 2.50`. No value
    /// contains a character with a meaning in shells.
    pub fn command_options(&self) -> Vec<String> {
        let word = |value: String| {
            let value = value.replace([' ', '$'], "");
            value.strip_suffix(".00").map(str::to_owned).unwrap_or(value)
        };
        let options = self.options().into_iter();
        options.map(|(option, value)| format!("--{option} {}", word(value))).collect()
    }
}

fn change<T>(limit: &mut Sourced<T>, value: Option<T>, option: &'static str) {
    if let Some(value) = value {
        *limit = Sourced::new(value, ValueOrigin::Flag(format!("--{option}").into()));
    }
}

fn as_text<T: Display>(limit: &Sourced<Limit<T>>) -> Sourced<Limit<String>> {
    let value = match &limit.value {
        Limit::Off => Limit::Off,
        Limit::At(value) => Limit::At(value.to_string()),
    };
    Sourced::new(value, limit.source.clone())
}

/// A limit that is present has changed, even if it is `null`.
fn changed<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Limit<T>>, D::Error> {
    Limit::deserialize(deserializer).map(Some)
}

/// The schema of a limit: a number, or `null` for none.
struct NumberOrNull;

impl JsonSchema for NumberOrNull {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [{ "type": "number", "minimum": 0 }, { "const": null }] })
    }
}

/// The schema of a quota: shares by their windows, or `null` for none.
struct QuotaOrNull;

impl JsonSchema for QuotaOrNull {
    fn schema_name() -> Cow<'static, str> {
        "Quota".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [generator.subschema_for::<QuotaLimits>(), { "const": null }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_read_and_shown() {
        for limit in LIMITS {
            let text = match limit.value_name {
                "TIME" => "1h 30m",
                "QUOTA" => "5h=90%,7d=even",
                _ => "3",
            };
            let mut changes = LimitChanges::default();
            assert_eq!(limit.get(&changes), None, "{}", limit.option);
            assert_eq!(limit.set(&mut changes, text), Ok(()), "{}", limit.option);
            let shown = limit.get(&changes).expect("it is set");
            assert_eq!(shown.trim_start_matches('$').trim_end_matches(".00"), text);
            assert_eq!(changes.options(), [(limit.option, shown)]);
            assert!(limit.set(&mut changes, "soon").is_err(), "{}", limit.option);
            assert_eq!(limit.set(&mut changes, "off"), Ok(()), "{}", limit.option);
            assert_eq!(limit.get(&changes).as_deref(), Some("off"));
        }
    }

    #[test]
    fn changes_are_options_of_a_command() {
        let mut changes =
            LimitChanges { iterations: Count::parse("4").ok(), ..LimitChanges::default() };
        for limit in LIMITS {
            let value = match limit.option {
                "max-time" => "1h 30m",
                "max-cost" => "2.50",
                "step-cost" => "5",
                "max-wait" => "off",
                "quota" => "7d=80%,5h=even",
                _ => continue,
            };
            limit.set(&mut changes, value).expect("it is a limit");
        }
        let expected = "--max-iterations 4 --max-time 1h30m --max-cost 2.50 --step-cost 5 \
                        --max-wait off --quota 5h=even,7d=80%";
        assert_eq!(changes.command_options().join(" "), expected);
    }

    #[test]
    fn the_keys_are_those_of_the_json() {
        let two = Count::parse("2").ok();
        let mut changes = LimitChanges { iterations: two, rounds: two, ..LimitChanges::default() };
        for limit in LIMITS {
            limit.set(&mut changes, "off").expect("each may be off");
        }
        let json = serde_json::to_value(&changes).expect("it is JSON");
        let members = json.as_object().expect("an object");
        assert_eq!(members.len(), LimitChanges::KEYS.len());
        assert!(LimitChanges::KEYS.iter().all(|key| members.contains_key(*key)), "{members:?}");
    }
}
