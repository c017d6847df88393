//! Executes every `console` block of the README and of `docs/`, and compares its output with the
//! page.
//!
//! The blocks of a page run in order, in one project that is empty at first. `page` and `reader`
//! find the blocks, `shell_session` executes them, `varying` replaces what differs from run to run,
//! `run_names` maps run ids, and `expected` compares. `UPDATE_DOCS=1` rewrites the pages
//! (`rewrite`).

#![expect(clippy::print_stderr, reason = "a skipped block must be visible")]

mod expected;
mod page;
mod page_trial;
mod reader;
mod rewrite;
mod run_names;
mod shell_session;
mod varying;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::page::DocPage;

/// The programs that readers have installed.
const PROGRAMS: [(&str, &str); 3] = [
    ("forkhestra", env!("CARGO_BIN_EXE_forkhestra")),
    ("ralph-runner", env!("CARGO_BIN_EXE_ralph-runner")),
    ("forge-tasks", env!("CARGO_BIN_EXE_forge-tasks")),
];

/// Generates a test for each page, so that they run concurrently.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        const PAGES: &[&str] = &[$($path),+];
        $(
            #[test]
            fn $name() {
                page_trial::of_page(&root(), $path);
            }
        )+
    };
}

pages! {
    the_readme_is_true: "README.md",
    agent_state_is_true: "docs/agent-state.md",
    bisect_is_true: "docs/bisect.md",
    built_ins_is_true: "docs/built-ins.md",
    checks_is_true: "docs/checks.md",
    cli_is_true: "docs/cli.md",
    completion_is_true: "docs/completion.md",
    config_is_true: "docs/config.md",
    control_flow_is_true: "docs/control-flow.md",
    cookbook_is_true: "docs/cookbook.md",
    dsl_is_true: "docs/dsl.md",
    events_is_true: "docs/events.md",
    first_run_is_true: "docs/first-run.md",
    getting_started_is_true: "docs/getting-started.md",
    forge_tasks_is_true: "docs/forge-tasks.md",
    fork_is_true: "docs/fork.md",
    hooks_is_true: "docs/hooks.md",
    install_is_true: "docs/install.md",
    lanes_is_true: "docs/lanes.md",
    limits_is_true: "docs/limits.md",
    logs_is_true: "docs/logs.md",
    notifications_is_true: "docs/notifications.md",
    processes_is_true: "docs/processes.md",
    prompts_is_true: "docs/prompts.md",
    ralph_runner_is_true: "docs/ralph-runner.md",
    recordings_is_true: "docs/recordings.md",
    runs_is_true: "docs/runs.md",
    stats_is_true: "docs/stats.md",
    steering_is_true: "docs/steering.md",
    state_and_resume_is_true: "docs/state-and-resume.md",
    tasks_in_a_run_is_true: "docs/tasks-in-a-run.md",
    time_travel_is_true: "docs/time-travel.md",
    what_if_is_true: "docs/what-if.md",
}

#[test]
fn every_page_with_console_blocks_is_executed() {
    let root = root();
    let mut paths = vec!["README.md".to_owned()];
    pages_below(&root, "docs", &mut paths);
    let with_blocks = paths.iter().filter(|path| DocPage::read(&root, path).has_commands());
    let found: BTreeSet<&str> = with_blocks.map(String::as_str).collect();
    let executed: BTreeSet<&str> = PAGES.iter().copied().collect();
    assert_eq!(
        found, executed,
        "the pages that have console blocks, and those in `pages!` of tests/docs/main.rs"
    );
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the crate is in the repository")
}

fn pages_below(root: &Path, folder: &str, paths: &mut Vec<String>) {
    for entry in root.join(folder).read_dir().expect("the folder can be read") {
        let entry = entry.expect("the folder can be read");
        let name = entry.file_name().into_string().expect("our file names are UTF-8");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            // A build of the book is no source.
            if name != "book" {
                pages_below(root, &path, paths);
            }
        } else if name.ends_with(".md") {
            paths.push(path);
        }
    }
}
