//! A chain before its steps are resolved: what was written, flat and by number, and its flow.

use super::plan_flow::{Flow, FlowGroup, FlowStage};
use crate::config::{
    AlternativeEntries, ChainEntry, CheckEntry, ConfigEntry, GroupEntry, QuestionEntry, Shorthand,
    StageEntries, StageEntry, StepEntry,
};
use crate::diagnostic::source::Spanned;
use crate::dsl::{Dsl, DslChain, DslLanes, DslPartKind, DslStage};
use crate::limit::GroupLimits;
use crate::plan::lanes::lanes_draft::{EnclosingLanes, lane_settings};
use crate::plan::plan_builder::{StepDraft, StepOrigin};
use crate::text::lane_count::LaneCount;

/// A chain before its steps are resolved. Steps and groups are numbered in the order of the text.
pub(crate) struct FlowDraft<'a> {
    pub(crate) flow: Flow,
    pub(crate) agents: Vec<StepDraft<'a>>,
    pub(crate) questions: Vec<QuestionDraft<'a>>,
    /// The entries of groups in a config file, by the number of the group.
    pub(crate) groups: Vec<Option<&'a GroupEntry>>,
    pub(crate) conditions: Vec<ConditionDraft<'a>>,
    pub(crate) enclosing_lanes: EnclosingLanes<'a>,
    /// The entries of the groups around the stage that is being read, the innermost last.
    enclosing_groups: Vec<&'a GroupEntry>,
}

/// A question before it is resolved.
pub(crate) struct QuestionDraft<'a> {
    pub(crate) number: usize,
    /// Its entry, if it is in a config file.
    pub(crate) entry: Option<&'a QuestionEntry>,
}

/// A condition before it is resolved.
pub(crate) struct ConditionDraft<'a> {
    /// The step that it is checked before.
    pub(crate) step: usize,
    /// The group that it belongs to; none if it belongs to the step alone.
    pub(crate) group: Option<usize>,
    pub(crate) entry: &'a Spanned<Shorthand<CheckEntry>>,
}

impl<'a> FlowDraft<'a> {
    fn new() -> Self {
        Self {
            flow: Flow(Vec::new()),
            agents: Vec::new(),
            questions: Vec::new(),
            groups: Vec::new(),
            conditions: Vec::new(),
            enclosing_lanes: EnclosingLanes::default(),
            enclosing_groups: Vec::new(),
        }
    }

    /// The draft of a chain on the command line.
    pub(crate) fn of_dsl(dsl: &'a Dsl) -> Self {
        let mut draft = Self::new();
        draft.flow = draft.dsl_chain(dsl, &dsl.chain);
        draft
    }

    /// The draft of a chain in a config file.
    pub(crate) fn of_entry(chain: ConfigEntry<'a, ChainEntry>) -> Self {
        let mut draft = Self::new();
        draft.enclosing_lanes.enter(chain.entry.lane.as_ref(), false);
        draft.flow = draft.entries(chain, &chain.entry.steps.value);
        draft
    }

    /// Whether all steps are agents that run one after another.
    pub(crate) fn is_plain(&self) -> bool {
        let is_step = |stage: &FlowStage| matches!(stage, FlowStage::Step(_));
        self.questions.is_empty() && self.conditions.is_empty() && self.flow.0.iter().all(is_step)
    }

    const fn next_step(&self) -> usize {
        self.agents.len() + self.questions.len() + 1
    }

    fn dsl_chain(&mut self, dsl: &'a Dsl, chain: &'a DslChain) -> Flow {
        Flow(chain.stages.iter().map(|stage| self.dsl_stage(dsl, stage)).collect())
    }

    fn dsl_stage(&mut self, dsl: &'a Dsl, stage: &'a DslStage) -> FlowStage {
        let parts = stage.alternatives.iter().map(|part| match &part.kind {
            DslPartKind::Agent(agent) => {
                let number = self.next_step();
                self.agents.push(StepDraft {
                    number,
                    agent: &agent.value,
                    iterations: part.count,
                    written: StepOrigin::Dsl { dsl, agent },
                    groups: Vec::new(),
                    lanes: self.enclosing_lanes.of_step(part.lanes, None),
                });
                FlowStage::Step(number)
            }
            DslPartKind::Question(_) => self.question(None),
            DslPartKind::Group(chain) => {
                self.groups.push(None);
                let number = self.groups.len();
                let lanes = shared(part.lanes);
                self.enclosing_lanes.enter(None, lanes.is_some());
                let stages = self.dsl_chain(dsl, chain);
                self.enclosing_lanes.leave(lanes.is_some());
                let limits = GroupLimits::default();
                FlowStage::Group(FlowGroup {
                    number,
                    rounds: part.count,
                    lanes,
                    lane_settings: None,
                    limits,
                    stages,
                })
            }
            DslPartKind::Parallel(branches) => {
                self.enclosing_lanes.enter(None, true);
                let branches = branches.iter().map(|branch| self.dsl_chain(dsl, branch)).collect();
                self.enclosing_lanes.leave(true);
                FlowStage::Parallel(branches)
            }
        });
        stage_of_alternatives(parts.map(|part| Flow(vec![part])).collect())
    }

    fn question(&mut self, entry: Option<&'a QuestionEntry>) -> FlowStage {
        let number = self.next_step();
        self.questions.push(QuestionDraft { number, entry });
        FlowStage::Step(number)
    }

    fn entries(&mut self, source: ConfigEntry<'a, ChainEntry>, entries: &'a StageEntries) -> Flow {
        Flow(entries.0.iter().map(|entry| self.stage(source, &entry.value)).collect())
    }

    fn stage(&mut self, source: ConfigEntry<'a, ChainEntry>, entry: &'a StageEntry) -> FlowStage {
        let mut flows = vec![Flow(vec![self.stage_before_else(source, entry)])];
        if let Some(AlternativeEntries(others)) = entry.alternative().map(|other| &other.value) {
            let stages = others.iter().map(|other| self.stage(source, &other.value));
            let mut stages: Vec<FlowStage> = stages.collect();
            match (stages.pop(), stages.is_empty()) {
                // `a else (b else c)` is `a else b else c`.
                (Some(FlowStage::Alternatives(more)), true) => flows.extend(more),
                (last, _) => flows.push(Flow(stages.into_iter().chain(last).collect())),
            }
        }
        stage_of_alternatives(flows)
    }

    fn stage_before_else(
        &mut self,
        source: ConfigEntry<'a, ChainEntry>,
        entry: &'a StageEntry,
    ) -> FlowStage {
        let step = self.next_step();
        let condition = |draft: &mut Self, group, entry: &'a Option<_>| {
            let entry = entry.as_ref();
            draft.conditions.extend(entry.map(|entry| ConditionDraft { step, group, entry }));
        };
        match entry {
            StageEntry::Agent(entry) => {
                let ConfigEntry { layer, entry: chain, .. } = source;
                condition(self, None, &entry.condition);
                self.agents.push(StepDraft {
                    number: step,
                    agent: &entry.agent.value.0,
                    iterations: entry.iterations.as_ref().map(|count| count.value),
                    written: StepOrigin::Config { layer, chain, step: entry },
                    groups: self.enclosing_groups.iter().rev().copied().collect(),
                    lanes: self.enclosing_lanes.of_step(own_lanes(entry), entry.lane.as_ref()),
                });
                FlowStage::Step(step)
            }
            StageEntry::Question(entry) => {
                condition(self, None, &entry.condition);
                self.question(Some(entry))
            }
            StageEntry::Group(entry) => {
                self.groups.push(Some(entry));
                let number = self.groups.len();
                condition(self, Some(number), &entry.condition);
                let rounds = entry.rounds.as_ref().map(|rounds| rounds.value);
                let lanes = entry.lanes.as_ref().map(|lanes| lanes.value);
                self.enclosing_groups.push(entry);
                self.enclosing_lanes.enter(entry.lane.as_ref(), lanes.is_some());
                let settings = lanes.and_then(|_| self.enclosing_lanes.of_stage());
                let lane_settings =
                    settings.map(|entry| Box::new(lane_settings(source.layer, entry)));
                let stages = self.entries(source, &entry.group.value);
                self.enclosing_lanes.leave(lanes.is_some());
                self.enclosing_groups.pop();
                let limits = GroupLimits::default();
                FlowStage::Group(FlowGroup { number, rounds, lanes, lane_settings, limits, stages })
            }
            StageEntry::Parallel(entry) => {
                self.enclosing_lanes.enter(entry.lane.as_ref(), true);
                let branches = entry.parallel.value.iter();
                let branches = branches.map(|branch| self.entries(source, &branch.value)).collect();
                self.enclosing_lanes.leave(true);
                FlowStage::Parallel(branches)
            }
        }
    }
}

/// The lanes of a step in a config file.
fn own_lanes(entry: &StepEntry) -> Option<DslLanes> {
    let shared = entry.lanes.as_ref().map(|lanes| DslLanes::Shared(lanes.value));
    shared.or_else(|| entry.best.as_ref().map(|lanes| DslLanes::Best(lanes.value)))
}

/// The lanes of a group, which cannot have best of N.
const fn shared(lanes: Option<DslLanes>) -> Option<LaneCount> {
    match lanes {
        Some(DslLanes::Shared(lanes)) => Some(lanes),
        Some(DslLanes::Best(_)) | None => None,
    }
}

/// A stage of alternatives, or the only one.
fn stage_of_alternatives(mut flows: Vec<Flow>) -> FlowStage {
    match flows.as_mut_slice() {
        [Flow(stages)] if stages.len() == 1 => stages.remove(0),
        _ => FlowStage::Alternatives(flows),
    }
}
