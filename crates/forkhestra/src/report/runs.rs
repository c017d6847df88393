//! Report of `runs`: a table of runs.

mod fitting;

use std::time::Duration;

use forkhestra_core::cost::Dollars;
use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::time::Timestamp;
use forkhestra_store::{ListedRun, RunOverview};
use typeset::column_table::ColumnTable;
use typeset::style::{BAD, DIM, NAME};
use typeset::table::{TableCell, aligned};
use typeset::text::visible;

use self::fitting::fit;
use super::run::short_duration;
use super::text::local_time::{to_the_minute, zone_name};
use super::text::status;
use crate::project::project_location::ProgramEnvironment;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunsColumn {
    Id,
    Chain,
    State,
    Step,
    Iterations,
    Started,
    Duration,
    Cost,
    Directory,
}

impl RunsColumn {
    /// Columns that are always present.
    const ALWAYS: [Self; 7] = [
        Self::Id,
        Self::Chain,
        Self::State,
        Self::Step,
        Self::Iterations,
        Self::Started,
        Self::Duration,
    ];

    const fn title(self) -> &'static str {
        match self {
            Self::Id => "ID",
            Self::Chain => "CHAIN",
            Self::State => "STATE",
            Self::Step => "STEP",
            Self::Iterations => "ITERATIONS",
            Self::Started => "STARTED",
            Self::Duration => "DURATION",
            Self::Cost => "COST",
            Self::Directory => "DIRECTORY",
        }
    }
}

/// Layout of the table.
pub(crate) struct RunsLayout<'a> {
    /// Maximum width; none if nothing may be cut.
    pub(crate) columns: Option<usize>,
    /// Set if the table has a directory column; the environment abbreviates the home directory to
    /// `~`.
    pub(crate) directories: Option<&'a ProgramEnvironment>,
    pub(crate) now: Timestamp,
}

/// A line for each run.
pub(crate) fn render(runs: &[ListedRun], layout: &RunsLayout<'_>) -> String {
    let shows_cost =
        runs.iter().any(|run| run.overview.as_ref().is_ok_and(|run| cost(run).is_some()));
    let mut columns = RunsColumn::ALWAYS.to_vec();
    columns.extend(shows_cost.then_some(RunsColumn::Cost));
    columns.extend(layout.directories.map(|_| RunsColumn::Directory));
    let title = |column: &RunsColumn| match column {
        RunsColumn::Started => format!("STARTED ({})", zone_name(layout.now)),
        column => column.title().to_owned(),
    };
    let titles = columns.iter().map(|column| TableCell::painted(title(column), DIM)).collect();
    let mut rows = vec![titles];
    rows.extend(runs.iter().map(|run| row(run, layout, shows_cost)));
    let mut list = ColumnTable::new(columns, rows);
    if let Some(limit) = layout.columns {
        fit(&mut list, limit);
    }
    aligned(&list.into_rows())
}

fn row(run: &ListedRun, layout: &RunsLayout<'_>, shows_cost: bool) -> Vec<TableCell> {
    let id = TableCell::painted(run.run.run().as_str(), NAME);
    let started = TableCell::new(to_the_minute(run.run.started()));
    let empty = || TableCell::new("");
    let mut cells = match &run.overview {
        Ok(known) => {
            let chain = visible(known.chain.as_ref().unwrap_or(&known.definition));
            let duration = TableCell::new(short_duration(duration(known, layout.now)));
            let state = status::of_overview(known);
            vec![
                id,
                TableCell::new(chain),
                state,
                step(known),
                iterations(known),
                started,
                duration,
            ]
        }
        Err(_) => {
            let state = TableCell::painted(run.status_text(), BAD);
            vec![id, empty(), state, empty(), empty(), started, empty()]
        }
    };
    let known = run.overview.as_ref().ok();
    if shows_cost {
        cells.push(TableCell::new(known.and_then(cost).unwrap_or_default()));
    }
    if let Some(environment) = layout.directories {
        let directory = known.map(|known| environment.shortened(&known.working_directory));
        cells.push(TableCell::new(visible(&directory.unwrap_or_default())));
    }
    cells
}

/// Cost of a run as far as it is known; none if its agents report nothing.
fn cost(known: &RunOverview) -> Option<String> {
    let dollars = |amount: Option<f64>| amount.and_then(Dollars::from_dollars);
    let known_part = || dollars(known.cost_at_least).map(|least| format!("≥{least}"));
    let unknown = || known.tokens.map(|_| "unknown".to_owned());
    dollars(known.cost).map(|cost| cost.to_string()).or_else(known_part).or_else(unknown)
}

/// Current step and number of steps.
fn step(known: &RunOverview) -> TableCell {
    let RunOverview { step, steps, agent, .. } = known;
    let agent = agent.as_deref().map(|agent| format!(" {}", visible(agent))).unwrap_or_default();
    TableCell::new(format!("{step}/{steps}{agent}"))
}

/// Finished and maximum iterations of that step.
fn iterations(known: &RunOverview) -> TableCell {
    let limit = known.max_iterations.map(|limit| format!("/{limit}")).unwrap_or_default();
    TableCell::new(format!("{}{limit}", known.step_iterations))
}

/// Duration of a run. It keeps growing while the run is alive and not paused.
fn duration(known: &RunOverview, now: Timestamp) -> Duration {
    let recorded = Duration::from_millis(known.duration_ms);
    let since = match known.status {
        ExecutionStatus::Running
            if known.paused_since.is_none() && known.asking_since.is_none() =>
        {
            Timestamp::parse(&known.updated_at).ok()
        }
        _ => None,
    };
    let more = since.map(|since| now.saturating_since(since)).unwrap_or_default();
    recorded.saturating_add(more)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forkhestra_store::RunDir;

    use super::*;

    /// A run of one minute, last updated at noon.
    fn listed(directory: &tempfile::TempDir, status: ExecutionStatus) -> ListedRun {
        let path = directory.path().join("20261115T115900Z-abcd1234");
        fs::create_dir_all(&path).expect("there is room");
        let overview = RunOverview {
            id: "abcd1234".to_owned(),
            chain: None,
            definition: "planner:3 -> builder:20 -> reviewer".to_owned(),
            working_directory: "/home/ada/shop".to_owned(),
            origin: None,
            status,
            reason: None,
            step: 2,
            steps: 3,
            agent: Some("builder".to_owned()),
            step_iterations: 13,
            max_iterations: Some(20),
            iterations: 14,
            started_at: "2026-11-15T11:59:00.000Z".to_owned(),
            updated_at: "2026-11-15T12:00:00.000Z".to_owned(),
            completed_at: None,
            duration_ms: 60_000,
            waiting_for: None,
            waiting_until: None,
            paused_since: None,
            stop_requested_at: None,
            asking_since: None,
            question: None,
            tokens: None,
            cost: None,
            cost_at_least: None,
        };
        ListedRun {
            run: RunDir::at(&path).expect("it is called like a run"),
            overview: Ok(overview),
        }
    }

    fn shown(runs: &[ListedRun], columns: Option<usize>) -> String {
        let now = Timestamp::parse("2026-11-15T12:01:30Z").expect("a moment");
        let layout = RunsLayout { columns, directories: None, now };
        anstream::adapter::strip_str(&render(runs, &layout)).to_string()
    }

    fn place() -> tempfile::TempDir {
        tempfile::tempdir().expect("there is room")
    }

    #[test]
    fn without_a_terminal_nothing_is_cut() {
        insta::assert_snapshot!(shown(&[listed(&place(), ExecutionStatus::Limited)], None), @"
        ID        CHAIN                                STATE    STEP         ITERATIONS  STARTED (UTC)     DURATION
        abcd1234  planner:3 -> builder:20 -> reviewer  limited  2/3 builder  13/20       2026-11-15 11:59  1m
        ");
    }

    #[test]
    fn a_chain_is_shortened_to_the_width_of_a_terminal() {
        let runs = [listed(&place(), ExecutionStatus::Interrupted)];
        insta::assert_snapshot!(shown(&runs, Some(100)), @"
        ID        CHAIN                     STATE        STEP         ITERATIONS  STARTED (UTC)     DURATION
        abcd1234  planner:3 -> builder:20…  interrupted  2/3 builder  13/20       2026-11-15 11:59  1m
        ");
        assert_eq!(shown(&runs, Some(200)), shown(&runs, None));
    }

    #[test]
    fn a_run_waiting_for_a_provider_is_marked() {
        let mut run = listed(&place(), ExecutionStatus::Running);
        if let Ok(known) = &mut run.overview {
            known.waiting_until = Some("2026-11-15T14:00:00.000Z".to_owned());
        }
        let line = shown(&[run], None);
        assert!(line.contains("  waiting  2/3 builder  "), "{line}");
    }

    #[test]
    fn a_paused_or_stopping_run_is_marked() {
        let directory = tempfile::tempdir().expect("there is room");
        let mut run = listed(&directory, ExecutionStatus::Running);
        let known = run.overview.as_mut().expect("it can be read");
        known.stop_requested_at = Some("2026-11-15T12:00:00.000Z".to_owned());
        let stopping = shown(&[run], None);
        assert!(stopping.contains("  stopping  2/3 builder  "), "{stopping}");

        let mut run = listed(&directory, ExecutionStatus::Running);
        let known = run.overview.as_mut().expect("it can be read");
        known.paused_since = Some("2026-11-15T12:00:00.000Z".to_owned());
        let paused = shown(&[run], None);
        assert!(paused.contains("  paused  2/3 builder  "), "{paused}");
        // A paused run's duration does not grow.
        assert!(paused.trim_end().ends_with("  1m"), "{paused}");
    }

    #[test]
    fn a_run_that_asks_is_marked_and_its_duration_does_not_grow() {
        let mut run = listed(&place(), ExecutionStatus::Running);
        if let Ok(known) = &mut run.overview {
            known.asking_since = Some("2026-11-15T12:00:00.000Z".to_owned());
        }
        let line = shown(&[run], None);
        assert!(line.contains("  asking  2/3 builder  "), "{line}");
        assert!(line.trim_end().ends_with("  1m"), "{line}");
    }

    /// Runs with long chains, states and agent names.
    fn long(directory: &tempfile::TempDir) -> [ListedRun; 2] {
        let runs = [ExecutionStatus::MaxIterations, ExecutionStatus::Running];
        runs.map(|status| {
            let mut run = listed(directory, status);
            if let Ok(known) = &mut run.overview {
                known.agent = Some("task-coordinator".to_owned());
            }
            run
        })
    }

    #[test]
    fn a_terminal_of_eighty_columns_wraps_no_line() {
        insta::assert_snapshot!(shown(&long(&place()), Some(80)), @"
        ID        CHAIN         STATE           STEP        ITER   STARTED      DURATION
        abcd1234  planner:3 -…  max_iterations  2/3 task-…  13/20  11-15 11:59  1m
        abcd1234  planner:3 -…  running         2/3 task-…  13/20  11-15 11:59  2m 30s
        ");
    }

    #[test]
    fn a_narrow_terminal_drops_columns() {
        insta::assert_snapshot!(shown(&long(&place()), Some(60)), @"
        ID        CHAIN         STATE           STEP           ITER
        abcd1234  planner:3 -…  max_iterations  2/3 task-coo…  13/20
        abcd1234  planner:3 -…  running         2/3 task-coo…  13/20
        ");
        insta::assert_snapshot!(shown(&long(&place()), Some(40)), @"
        ID        STATE           STEP
        abcd1234  max_iterations  2/3 task-coor…
        abcd1234  running         2/3 task-coor…
        ");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let place = place();
        let environment = ProgramEnvironment::default();
        let now = Timestamp::parse("2026-11-15T12:01:30Z").expect("a moment");
        let mut runs = long(&place);
        if let Ok(known) = &mut runs[0].overview {
            known.cost = Some(12.5);
        }
        for limit in 34..200 {
            let layout = RunsLayout { columns: Some(limit), directories: Some(&environment), now };
            let shown = anstream::adapter::strip_str(&render(&runs, &layout)).to_string();
            let widest = shown.lines().map(unicode_width::UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= limit), "{limit}:\n{shown}");
        }
    }

    #[test]
    fn the_duration_of_a_running_run_continues_to_now() {
        assert!(shown(&[listed(&place(), ExecutionStatus::Running)], None).ends_with("  2m 30s\n"));
        assert!(shown(&[listed(&place(), ExecutionStatus::Complete)], None).ends_with("  1m\n"));
    }

    #[test]
    fn a_cost_column_is_shown_if_any_cost_is_known() {
        let mut runs = [
            listed(&place(), ExecutionStatus::Complete),
            listed(&place(), ExecutionStatus::Failed),
        ];
        if let Ok(known) = &mut runs[1].overview {
            known.cost = Some(1.256);
        }
        let ends = |runs: &[ListedRun]| {
            let shown = shown(runs, None);
            let ends = shown.lines().filter_map(|line| line.split("  ").last());
            ends.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ends(&runs), ["COST", "1m", "$1.2560"]);
        for run in &mut runs {
            let known = run.overview.as_mut().expect("it was read");
            (known.cost, known.tokens) = (None, Some(1_000));
        }
        if let Ok(known) = &mut runs[1].overview {
            known.cost_at_least = Some(0.0105);
        }
        assert_eq!(ends(&runs), ["COST", "unknown", "≥$0.0105"]);
    }
}
