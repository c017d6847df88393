//! The lanes of a stage in a dry run: where they are, what they begin with and what they lack.

use std::path::Path;

use forkhestra_core::plan::{BestPick, LaneSettings, LanedStage, Plan, PlanStep, Sourced};
use forkhestra_store::StateRoot;
use typeset::text::visible;

use super::dry_run::DryRunEntry;
use crate::cli::byte_size::ByteSize;
use crate::past_runs::state_home::{PROJECT_STATE_DIRECTORY, default_state_directory};
use crate::project::lane_repository::{IgnoredEntry, LaneRepository, WORKTREE_INCLUDE};
use crate::project::project_location::ProjectLocation;

/// The most paths that are named as missing.
const MAX_NAMED: usize = 6;

/// The size from which a file is worth its number.
const LARGE: u64 = 1 << 20;

/// What all lanes of a plan have in common.
pub(super) struct LaneReport {
    /// The directory of lanes, for a person.
    directory: String,
    head: Option<String>,
    committed_bytes: Option<u64>,
    /// What git ignores and `.worktreeinclude` does not name; none if git fails.
    not_included: Option<Vec<IgnoredEntry>>,
}

impl LaneReport {
    /// Looks at the repository; none for a plan without lanes.
    pub(super) fn of(plan: &Plan, project: &ProjectLocation) -> Option<Self> {
        if !plan.has_lanes() {
            return None;
        }
        let repository = LaneRepository::of(project);
        Some(Self {
            directory: directory(plan, project),
            head: repository.head(),
            committed_bytes: repository.committed_bytes(),
            not_included: not_included(plan, &repository),
        })
    }

    /// The entries of a stage with lanes.
    pub(super) fn entries(&self, stage: LanedStage<'_>, plan: &Plan) -> Vec<DryRunEntry> {
        let lanes = stage.lanes(&plan.steps);
        let size = self.committed_bytes.map(|bytes| format!(" x {}", ByteSize(bytes)));
        let head = self.head.as_ref().map(|head| format!(", from HEAD {head}"));
        let (size, head) = (size.unwrap_or_default(), head.unwrap_or_default());
        let value = format!("{} ({lanes}{size}{head})", self.directory);
        let mut entries = vec![DryRunEntry::new("lanes", value)];
        let settings = settings_of(stage, plan);
        entries.extend(self.missing(settings.map(|settings| &settings.value)));
        entries.extend(settings.into_iter().flat_map(settings_entries));
        entries
    }

    /// What lanes lack.
    fn missing(&self, settings: Option<&LaneSettings>) -> Option<DryRunEntry> {
        let mut missing: Vec<&IgnoredEntry> = self.not_included.as_ref()?.iter().collect();
        if let Some(settings) = settings {
            missing.retain(|entry| !settings.provides(&entry.path));
        }
        if missing.is_empty() {
            return None;
        }
        missing.sort_by_key(|entry| std::cmp::Reverse(entry.bytes));
        let more = missing.len().saturating_sub(MAX_NAMED);
        let mut named: Vec<String> = missing.into_iter().take(MAX_NAMED).map(sized).collect();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let remedy = match settings.and_then(|settings| settings.copy.as_ref()) {
            Some(_) => "`copy` of `lane`".to_owned(),
            None => WORKTREE_INCLUDE.to_owned(),
        };
        Some(DryRunEntry::new("lanes do not have", format!("{}; see {remedy}", named.join(", "))))
    }
}

/// The entries of a step that has lanes of its own.
pub(super) fn of_step(
    report: Option<&LaneReport>,
    step: &PlanStep,
    plan: &Plan,
) -> Vec<DryRunEntry> {
    let stage = plan.laned_stage_of(step.number);
    match report.zip(stage) {
        Some((report, stage @ LanedStage::Step(_))) => report.entries(stage, plan),
        Some((_, LanedStage::Group(_) | LanedStage::Parallel(_))) | None => Vec::new(),
    }
}

/// How the lane of best of N is chosen that lands.
pub(super) fn picked(step: &PlanStep) -> Option<String> {
    let best = step.best.as_ref()?;
    let which = match &best.pick {
        BestPick::First => "the first that is complete lands".to_owned(),
        BestPick::Cheapest => "the cheapest lands".to_owned(),
        BestPick::Smallest => "the smallest change lands".to_owned(),
        BestPick::Script(script) => format!("the best by {} lands", visible(&script.path)),
    };
    Some(format!("in each of {} lanes; {which}", best.lanes))
}

/// The settings of all lanes of a stage, if they are the same.
fn settings_of<'a>(stage: LanedStage<'_>, plan: &'a Plan) -> Option<&'a Sourced<LaneSettings>> {
    let mut settings = stage.steps().into_iter().map(|step| plan.lane_settings_of(step));
    let first = settings.next()?;
    settings.all(|other| other == first).then_some(first)?
}

fn settings_entries(settings: &Sourced<LaneSettings>) -> Vec<DryRunEntry> {
    let LaneSettings { setup, copy, keep, timeout } = &settings.value;
    let listed =
        |paths: &[String]| paths.iter().map(|path| visible(path)).collect::<Vec<_>>().join(", ");
    let mut entries = Vec::new();
    entries.extend(setup.as_ref().map(|setup| {
        DryRunEntry::new("lane set-up", visible(setup)).detail(format!("timeout {timeout}"))
    }));
    let copy = copy.as_ref().filter(|paths| !paths.is_empty());
    entries.extend(copy.map(|paths| DryRunEntry::new("lanes copy", listed(paths))));
    if !keep.is_empty() {
        entries.push(DryRunEntry::new("lanes keep", listed(keep)));
    }
    entries.into_iter().map(|entry| entry.from([&settings.source])).collect()
}

/// The directory of lanes below that of a run, which has no id yet.
fn directory(plan: &Plan, project: &ProjectLocation) -> String {
    let working_directory = Path::new(&plan.working_directory);
    let named = plan.state_directory.as_ref().map(|named| working_directory.join(named));
    let root = named.or_else(|| default_state_directory(project));
    let root = root.unwrap_or_else(|| working_directory.join(PROJECT_STATE_DIRECTORY));
    let runs = StateRoot::new(root).work_tree(&project.work_tree());
    let lanes = runs.path().join("…").join("lanes");
    visible(&project.environment.shortened(&lanes.to_string_lossy()))
}

/// What a new lane does not have, but for the task database and views of runs.
fn not_included(plan: &Plan, repository: &LaneRepository) -> Option<Vec<IgnoredEntry>> {
    let (mut ignored, included) = (repository.ignored()?, repository.included()?);
    let is_within = |path: &str, outer: &str| path == outer || path.starts_with(outer);
    ignored.retain(|path| !included.iter().any(|included| is_within(path, included)));
    let tasks = plan.task_database.as_ref();
    let tasks = tasks
        .and_then(|tasks| repository.below_top(&Path::new(&plan.working_directory).join(tasks)));
    let is_ours = |path: &str| {
        let path = Path::new(path);
        path.ends_with(PROJECT_STATE_DIRECTORY)
            || tasks.as_ref().is_some_and(|tasks| path.starts_with(tasks))
    };
    ignored.retain(|path| !is_ours(path));
    Some(ignored.into_iter().map(|path| repository.sized(path)).collect())
}

fn sized(entry: &IgnoredEntry) -> String {
    let IgnoredEntry { path, bytes, is_larger } = entry;
    let path = visible(path);
    match (path.ends_with('/') || *bytes >= LARGE, is_larger) {
        (false, _) => path,
        (true, false) => format!("{path} ({})", ByteSize(*bytes)),
        (true, true) => format!("{path} (more than {})", ByteSize(*bytes)),
    }
}
