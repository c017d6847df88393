//! The order of a plan's steps: a tree of step numbers beside the flat list of steps.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::limit::GroupLimits;
use crate::plan::lanes::lane_settings::LaneSettings;
use crate::plan::types::{CheckOwner, Plan};
use crate::plan::value_origin::Sourced;
use crate::text::count::Count;
use crate::text::lane_count::LaneCount;

/// Stages, one after another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Flow(pub Vec<FlowStage>);

/// One stage of a flow: `{"step":2}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FlowStage {
    /// The step with this number.
    Step(usize),
    Group(FlowGroup),
    /// `a else b`: each one runs if the one before it is not complete.
    Alternatives(Vec<Flow>),
    /// `(a | b)`: all branches at the same time, each in lanes of its own.
    Parallel(Vec<Flow>),
}

/// A chain in parentheses, which may be repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowGroup {
    /// One-based, in the order of the text.
    pub number: usize,
    /// Most rounds; none for a group that is not repeated and only holds its stages together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Count>,
    /// The lanes that share the rounds; none if they run one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LaneCount>,
    /// The settings of the lanes of the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_settings: Option<Box<Sourced<LaneSettings>>>,
    /// Limits for all its rounds together.
    #[serde(default, skip_serializing_if = "GroupLimits::is_off")]
    pub limits: GroupLimits,
    pub stages: Flow,
}

impl Flow {
    /// The numbers of all steps, in order.
    pub fn steps(&self) -> Vec<usize> {
        let mut steps = Vec::new();
        self.collect_steps(&mut steps);
        steps
    }

    fn collect_steps(&self, steps: &mut Vec<usize>) {
        self.0.iter().for_each(|stage| stage.collect_steps(steps));
    }

    /// The steps that decide whether the flow is complete: those of its last stage.
    pub fn deciding_steps(&self) -> BTreeSet<usize> {
        match self.0.last() {
            None => BTreeSet::new(),
            Some(FlowStage::Step(step)) => BTreeSet::from([*step]),
            Some(FlowStage::Group(group)) => group.stages.deciding_steps(),
            Some(FlowStage::Alternatives(flows) | FlowStage::Parallel(flows)) => {
                flows.iter().flat_map(Self::deciding_steps).collect()
            }
        }
    }

    /// The steps that decide about rounds of any group.
    pub(crate) fn all_deciding_steps(&self) -> BTreeSet<usize> {
        let repeated = self.groups().into_iter().filter(|group| group.rounds.is_some());
        repeated.flat_map(|group| group.stages.deciding_steps()).collect()
    }

    /// All groups, each one before the groups that it contains.
    pub fn groups(&self) -> Vec<&FlowGroup> {
        let mut groups = Vec::new();
        self.collect_groups(&mut groups);
        groups
    }

    fn collect_groups<'a>(&'a self, groups: &mut Vec<&'a FlowGroup>) {
        for stage in &self.0 {
            match stage {
                FlowStage::Step(_) => {}
                FlowStage::Group(group) => {
                    groups.push(group);
                    group.stages.collect_groups(groups);
                }
                FlowStage::Alternatives(flows) | FlowStage::Parallel(flows) => {
                    flows.iter().for_each(|flow| flow.collect_groups(groups));
                }
            }
        }
    }

    fn contains(&self, step: usize) -> bool {
        self.0.iter().any(|stage| stage.contains(step))
    }

    /// Adds the groups that a step is in, the outermost first.
    fn collect_enclosing_groups<'a>(&'a self, step: usize, enclosing: &mut Vec<&'a FlowGroup>) {
        match self.0.iter().find(|stage| stage.contains(step)) {
            None | Some(FlowStage::Step(_)) => {}
            Some(FlowStage::Group(group)) => {
                enclosing.push(group);
                group.stages.collect_enclosing_groups(step, enclosing);
            }
            Some(FlowStage::Alternatives(flows) | FlowStage::Parallel(flows)) => {
                flows.iter().for_each(|flow| flow.collect_enclosing_groups(step, enclosing));
            }
        }
    }

    /// A group by its number.
    pub fn group(&self, number: usize) -> Option<&FlowGroup> {
        self.groups().into_iter().find(|group| group.number == number)
    }

    /// The steps of the innermost alternative that a step is in.
    pub(crate) fn alternative_with(&self, step: usize) -> Option<Vec<usize>> {
        self.0.iter().find_map(|stage| match stage {
            FlowStage::Step(_) => None,
            FlowStage::Group(group) => group.stages.alternative_with(step),
            FlowStage::Alternatives(flows) => {
                let flow = flows.iter().find(|flow| flow.steps().contains(&step))?;
                Some(flow.alternative_with(step).unwrap_or_else(|| flow.steps()))
            }
            FlowStage::Parallel(flows) => flows.iter().find_map(|flow| flow.alternative_with(step)),
        })
    }

    /// Whether it has a group with this number.
    pub(crate) fn has_group(&self, number: usize) -> bool {
        self.group(number).is_some()
    }

    /// Changes every group, each one before the groups that it contains.
    pub(crate) fn for_each_group_mut(&mut self, change: &mut dyn FnMut(&mut FlowGroup)) {
        for stage in &mut self.0 {
            match stage {
                FlowStage::Step(_) => {}
                FlowStage::Group(group) => {
                    change(group);
                    group.stages.for_each_group_mut(change);
                }
                FlowStage::Alternatives(flows) | FlowStage::Parallel(flows) => {
                    flows.iter_mut().for_each(|flow| flow.for_each_group_mut(change));
                }
            }
        }
    }
}

impl FlowStage {
    pub(crate) fn contains(&self, step: usize) -> bool {
        match self {
            Self::Step(other) => *other == step,
            Self::Group(group) => group.contains(step),
            Self::Alternatives(flows) | Self::Parallel(flows) => {
                flows.iter().any(|flow| flow.contains(step))
            }
        }
    }

    /// The numbers of its steps, in order.
    pub(crate) fn steps(&self) -> Vec<usize> {
        let mut steps = Vec::new();
        self.collect_steps(&mut steps);
        steps
    }

    fn collect_steps(&self, steps: &mut Vec<usize>) {
        match self {
            Self::Step(step) => steps.push(*step),
            Self::Group(group) => group.stages.collect_steps(steps),
            Self::Alternatives(flows) | Self::Parallel(flows) => {
                flows.iter().for_each(|flow| flow.collect_steps(steps));
            }
        }
    }
}

impl FlowGroup {
    /// Whether it contains a step.
    pub fn contains(&self, step: usize) -> bool {
        self.stages.contains(step)
    }
}

impl Plan {
    /// The steps (one-based) of the stage of the whole chain that a step is in: the step alone, or all
    /// steps of a group or of alternatives.
    pub fn enclosing_stage(&self, step: usize) -> RangeInclusive<usize> {
        let stages = self.flow.iter().flat_map(|flow| &flow.0).map(FlowStage::steps);
        let mut enclosing = stages.filter(|steps| steps.contains(&step));
        let steps = enclosing.next();
        let ends = steps.as_ref().and_then(|steps| Some((*steps.first()?, *steps.last()?)));
        ends.map_or(step..=step, |(first, last)| first..=last)
    }

    /// The groups that a step (one-based) is in, the innermost first.
    pub fn enclosing_groups(&self, step: usize) -> Vec<&FlowGroup> {
        let mut enclosing = Vec::new();
        self.flow.iter().for_each(|flow| flow.collect_enclosing_groups(step, &mut enclosing));
        enclosing.reverse();
        enclosing
    }

    /// The repeated groups that a step (one-based) is in, the innermost first.
    pub fn enclosing_repeated_groups(&self, step: usize) -> Vec<&FlowGroup> {
        let mut enclosing = self.enclosing_groups(step);
        enclosing.retain(|group| group.rounds.is_some());
        enclosing
    }

    /// The repeated groups whose round a check of a step belongs to, the innermost first. Checks of a
    /// group do not belong to the rounds of the groups in it; nor does a condition of a group, which
    /// is checked before its first round.
    pub fn repeated_groups_of_check(&self, step: usize, number: usize) -> Vec<&FlowGroup> {
        let owner = self.step(step).and_then(|step| step.group_of_check(number));
        let is_enclosing = |group: &FlowGroup| match owner {
            None => true,
            Some(CheckOwner::Round(of)) => group.number == of || group.stages.has_group(of),
            Some(CheckOwner::Condition(of)) => group.stages.has_group(of),
        };
        let mut enclosing = self.enclosing_repeated_groups(step);
        enclosing.retain(|group| is_enclosing(group));
        enclosing
    }
}
