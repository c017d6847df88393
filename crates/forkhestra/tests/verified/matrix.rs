//! The table of verdicts in the documentation, with a run for every row.

use testkit::TestEnv;

use crate::support::{config, forkhestra, git, repository, verdicts};

/// The page with the table.
const PAGE: &str = include_str!("../../../../docs/checks.md");

/// The differences between two rows.
struct MatrixCase {
    marker: bool,
    exit: i32,
    green: bool,
    protected: bool,
    room: Option<MatrixRoom>,
}

/// The state of a clean room.
enum MatrixRoom {
    Committed,
    Uncommitted,
}

impl MatrixCase {
    fn run(&self) -> String {
        let env = repository();
        env.write("tests/one", "1\n");
        let marker = if self.marker { "echo FORKHESTRA_COMPLETE" } else { ":" };
        let cheat = if self.protected { "echo 2 > tests/one" } else { ":" };
        let leave = match self.room {
            Some(MatrixRoom::Uncommitted) => "echo new > uncommitted",
            _ => "git add --all; git commit --quiet --allow-empty -m work",
        };
        env.agent("a", &format!("{cheat}; {leave}; {marker}; exit {}", self.exit));
        self.configure(&env);
        git(&env, "add --all");
        git(&env, "commit --quiet --message config");
        let output = forkhestra(&env, &["--chain", "c", "--quiet"]);
        let verdicts = verdicts(&env);
        assert_eq!(verdicts.len(), 1, "{output}");
        verdicts[0].clone()
    }

    fn configure(&self, env: &TestEnv) {
        let check = if self.green { "true" } else { "false" };
        let room = if self.room.is_some() { r#""cleanRoom": true,"# } else { "" };
        config(
            env,
            &format!(
                r#"{{"chains": {{"c": {{"steps": [{{"agent": "a", "iterations": 1, {room}
                "protect": ["tests/**"], "checks": ["command:{check}"]}}]}}}}}}"#
            ),
        );
    }

    /// The columns of the table for this case.
    fn columns(&self) -> [&'static str; 5] {
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let room = match self.room {
            None => "off",
            Some(MatrixRoom::Committed) => "all committed",
            Some(MatrixRoom::Uncommitted) => "not all committed",
        };
        let exit = if self.exit == 0 { "0" } else { "1" };
        let checks = if self.green { "green" } else { "red" };
        [yes(self.marker), exit, checks, yes(self.protected), room]
    }
}

/// The rows of the table: the columns, and the verdict.
fn rows() -> Vec<([&'static str; 5], &'static str)> {
    let table = PAGE.split_once("## The table of verdicts").expect("the page has the table").1;
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.contains(" | `"));
    let rows = rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [marker, exit, checks, protected, room, verdict] = cells[..] else {
            panic!("not six columns: {line}")
        };
        ([marker, exit, checks, protected, room], verdict.trim_matches('`'))
    });
    rows.collect()
}

/// The verdict of the first matching row.
fn documented(columns: [&str; 5]) -> &'static str {
    let fits = |row: &[&str; 5]| {
        row.iter().zip(columns).all(|(cell, here)| *cell == "any" || *cell == here)
    };
    rows().into_iter().find(|(row, _)| fits(row)).map_or("no row", |(_, verdict)| verdict)
}

#[test]
fn the_table_of_verdicts_is_true_in_every_case() {
    let mut wrong = Vec::new();
    for marker in [true, false] {
        for exit in [0, 1] {
            for green in [true, false] {
                for protected in [false, true] {
                    for room in [None, Some(MatrixRoom::Committed), Some(MatrixRoom::Uncommitted)] {
                        let case = MatrixCase { marker, exit, green, protected, room };
                        let (found, expected) = (case.run(), documented(case.columns()));
                        if found != expected {
                            wrong.push(format!("{:?}: {found}, not {expected}", case.columns()));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "docs/checks.md is wrong:\n{}", wrong.join("\n"));
}
