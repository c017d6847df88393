//! The stages of a plan whose agents work in lanes.

use crate::plan::flow::plan_flow::{Flow, FlowGroup, FlowStage};
use crate::plan::lanes::lane_settings::LaneSettings;
use crate::plan::types::{Plan, PlanStep};
use crate::plan::value_origin::Sourced;

/// The outermost stage with lanes that a step is in. All lanes in it share one integration ref.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LanedStage<'a> {
    /// A step with lanes: `a:20 x4`, or best of N.
    Step(&'a PlanStep),
    /// A group with lanes: `(a -> b):20 x4`.
    Group(&'a FlowGroup),
    /// Parallel stages: `(a | b)`. A branch has one lane, or those of its stages.
    Parallel(&'a [Flow]),
}

impl LanedStage<'_> {
    /// The numbers of its steps, in order.
    pub fn steps(&self) -> Vec<usize> {
        match self {
            Self::Step(step) => vec![step.number],
            Self::Group(group) => group.stages.steps(),
            Self::Parallel(branches) => branches.iter().flat_map(Flow::steps).collect(),
        }
    }

    /// The most agents that it runs at once, which is the number of its lanes.
    pub fn lanes(&self, steps: &[PlanStep]) -> u32 {
        match self {
            Self::Step(step) => step.agents_at_once(),
            Self::Group(group) => group.agents_at_once(steps),
            Self::Parallel(branches) => of_branches(branches, steps),
        }
    }
}

impl PlanStep {
    /// The most agents of the step at once.
    pub fn agents_at_once(&self) -> u32 {
        let lanes = self.lanes.or(self.best.as_ref().map(|best| best.lanes));
        lanes.map_or(1, |lanes| u32::from(lanes.get()))
    }

    /// Whether it has lanes of its own.
    pub const fn has_lanes(&self) -> bool {
        self.lanes.is_some() || self.best.is_some()
    }
}

impl FlowGroup {
    fn agents_at_once(&self, steps: &[PlanStep]) -> u32 {
        match self.lanes {
            Some(lanes) => u32::from(lanes.get()),
            None => self.stages.agents_at_once(steps),
        }
    }
}

impl Flow {
    fn agents_at_once(&self, steps: &[PlanStep]) -> u32 {
        self.0.iter().map(|stage| stage.agents_at_once(steps)).max().unwrap_or(0)
    }

    /// The steps of the parallel stages that a step is in; none if it is in no such stage.
    pub(crate) fn parallel_stage_with(&self, step: usize) -> Vec<usize> {
        let Some(stage) = self.0.iter().find(|stage| stage.contains(step)) else {
            return Vec::new();
        };
        match stage {
            FlowStage::Step(_) => Vec::new(),
            FlowStage::Group(group) => group.stages.parallel_stage_with(step),
            FlowStage::Alternatives(flows) => {
                flows.iter().flat_map(|flow| flow.parallel_stage_with(step)).collect()
            }
            FlowStage::Parallel(_) => stage.steps(),
        }
    }

    fn laned_stage_of<'a>(&'a self, step: usize, steps: &'a [PlanStep]) -> Option<LanedStage<'a>> {
        match self.0.iter().find(|stage| stage.contains(step))? {
            FlowStage::Step(number) => laned_step(steps.get(number.checked_sub(1)?)?),
            FlowStage::Group(group) if group.lanes.is_some() => Some(LanedStage::Group(group)),
            FlowStage::Group(group) => group.stages.laned_stage_of(step, steps),
            FlowStage::Alternatives(flows) => {
                flows.iter().find_map(|flow| flow.laned_stage_of(step, steps))
            }
            FlowStage::Parallel(branches) => Some(LanedStage::Parallel(branches)),
        }
    }
}

impl FlowStage {
    fn agents_at_once(&self, steps: &[PlanStep]) -> u32 {
        match self {
            Self::Step(step) => {
                let step = step.checked_sub(1).and_then(|index| steps.get(index));
                step.filter(|step| !step.is_question()).map_or(0, PlanStep::agents_at_once)
            }
            Self::Group(group) => group.agents_at_once(steps),
            Self::Alternatives(flows) => {
                flows.iter().map(|flow| flow.agents_at_once(steps)).max().unwrap_or(0)
            }
            Self::Parallel(branches) => of_branches(branches, steps),
        }
    }
}

fn of_branches(branches: &[Flow], steps: &[PlanStep]) -> u32 {
    branches.iter().map(|flow| flow.agents_at_once(steps)).fold(0, u32::saturating_add)
}

fn laned_step(step: &PlanStep) -> Option<LanedStage<'_>> {
    step.has_lanes().then_some(LanedStage::Step(step))
}

impl Plan {
    /// The outermost stage with lanes that a step (one-based) is in; none if its agent works in the
    /// user's work tree.
    pub fn laned_stage_of(&self, step: usize) -> Option<LanedStage<'_>> {
        match &self.flow {
            Some(flow) => flow.laned_stage_of(step, &self.steps),
            None => laned_step(self.step(step)?),
        }
    }

    /// All stages with lanes, in the order of their first steps.
    pub fn laned_stages(&self) -> Vec<LanedStage<'_>> {
        let mut stages: Vec<LanedStage<'_>> = Vec::new();
        let mut behind = 0;
        for step in 1..=self.steps.len() {
            if step <= behind {
                continue;
            }
            if let Some(stage) = self.laned_stage_of(step) {
                behind = stage.steps().into_iter().max().unwrap_or(step);
                stages.push(stage);
            }
        }
        stages
    }

    /// Whether any agent works in a lane.
    pub fn has_lanes(&self) -> bool {
        !self.laned_stages().is_empty()
    }

    /// The most agents that a run executes at once.
    pub fn agents_at_once(&self) -> u32 {
        match &self.flow {
            Some(flow) => flow.agents_at_once(&self.steps),
            None => self.steps.iter().map(PlanStep::agents_at_once).max().unwrap_or(0),
        }
    }

    /// The settings of the lane in which a step (one-based) runs; none if nothing is set, or if it
    /// runs in the user's work tree.
    pub fn lane_settings_of(&self, step: usize) -> Option<&Sourced<LaneSettings>> {
        self.laned_stage_of(step)?;
        self.step(step)?.lane_settings.as_ref()
    }

    /// The questions (their steps, one-based) inside of stages with lanes. A plan that [`build()`]
    /// made has none.
    ///
    /// [`build()`]: crate::plan::build
    pub fn questions_in_lanes(&self) -> Vec<usize> {
        let questions = self.steps.iter().filter(|step| step.is_question());
        let numbers = questions.map(|step| step.number);
        numbers.filter(|step| self.laned_stage_of(*step).is_some()).collect()
    }
}
