//! The chains under test: short, together with every feature once.

use std::fmt;
use std::path::Path;

use clap::ValueEnum;
use serde_json::Value;

/// A chain under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChainSubject {
    /// Loops that end by a marker and by a done file, and an agent between them that runs once,
    /// with checks and a hook.
    Steps,
    /// An alternative, a question, rounds with a check, and a condition.
    Flow,
    /// Three lanes, two of which conflict. One of them repairs it.
    Lanes,
}

/// One loop has observations of its work tree, which run git and create temporary files; snapshots
/// would only run git more often.
const STEPS: &str = r#"{
  "chains": {
    "steps": {
      "snapshots": false,
      "hooks": { "on-complete": "echo told >> told" },
      "steps": [
        {
          "agent": "planner", "iterations": 3, "limits": { "stagnation": 4 },
          "checks": ["command:test -s plan"]
        },
        { "agent": "once", "checks": ["file:once"] },
        { "agent": "builder", "iterations": 5 }
      ]
    }
  }
}
"#;

/// A hook answers the question from another process, through the control socket.
const FLOW: &str = r#"{
  "chains": {
    "flow": {
      "snapshots": false,
      "hooks": { "on-question": HOOK },
      "steps": [
        { "agent": "cheap", "iterations": 1, "else": { "agent": "once" } },
        { "ask": "Is it right?" },
        {
          "group": [{ "agent": "fixer" }, { "agent": "ci" }], "rounds": 3,
          "checks": ["file:once"]
        },
        { "agent": "deployer", "if": "file:missing" }
      ]
    }
  }
}
"#;

/// The check is red until all parts have landed.
const LANES: &str = r#"{
  "chains": {
    "lanes": {
      "steps": [
        {
          "agent": "mason", "iterations": 20, "lanes": 3,
          "checks": ["command:test -e part-1 && test -e part-2 && test -e part-3"]
        }
      ]
    }
  }
}
"#;

/// The beginning of all agents. An agent whose runner is gone never ends by itself, not even by
/// `SIGPIPE`: it has to be killed.
const PREAMBLE: &str = r#"
trap '' PIPE
finish() {
    { [ "$PPID" -ne 1 ] && kill -0 "$PPID" 2> /dev/null; } || sleep 1000
    note end
}
"#;

/// All other behaviour of agents depends on the iteration number alone, so that interruptions do
/// not change it.
const AGENTS: [(&str, &str); 8] = [
    (
        "planner",
        r#"
        echo "planning $FORKHESTRA_ITERATION"
        echo "$FORKHESTRA_ITERATION" >> plan
        if [ "$FORKHESTRA_ITERATION" -ge 2 ]; then echo FORKHESTRA_COMPLETE; fi
        finish
        "#,
    ),
    (
        "once",
        r#"
        echo "something to complain about" >&2
        echo once > once
        finish
        "#,
    ),
    (
        "builder",
        r#"
        echo "building $FORKHESTRA_ITERATION"
        echo "and complaining" >&2
        echo "$FORKHESTRA_ITERATION" >> built
        if [ "$FORKHESTRA_ITERATION" -ge 2 ]; then echo > DONE; fi
        finish
        "#,
    ),
    ("cheap", "echo 'cannot do it'; finish"),
    ("fixer", r#"echo "$FORKHESTRA_ITERATION" >> fixed; finish"#),
    (
        "ci",
        r#"
        finish
        if [ "$FORKHESTRA_ITERATION" -lt 2 ]; then echo 'a test failed' >&2; exit 1; fi
        "#,
    ),
    ("deployer", "finish"),
    ("mason", MASON),
];

/// The first three iterations commit a part each. The first two of them change the same line, so that
/// one of the two is refused; the next iteration of its lane merges. All other iterations wait until
/// everything has landed, and claim completion. What an interrupted attempt left is undone or kept.
const MASON: &str = r#"
    git_dir=$(git rev-parse --git-dir)
    find "$git_dir" -name '*.lock' -delete
    git reset --quiet --hard
    landed() {
        git -C "$PLACE/../project" rev-parse "refs/forkhestra/$FORKHESTRA_RUN_ID/integration"
    }
    merge() {
        git merge --quiet --no-edit "$1" > /dev/null 2>&1 && return
        git show :2:shared :3:shared | sort -u > "$git_dir/both"
        mv "$git_dir/both" shared
        git add shared
        git commit --quiet --no-edit
    }
    echo "laying $FORKHESTRA_ITERATION"
    merge "$(landed)"
    case $FORKHESTRA_ITERATION in
    [123])
        part=part-$FORKHESTRA_ITERATION
        if ! [ -e "$part" ]; then
            echo > "$part"
            [ "$part" = part-3 ] || echo "$part" >> shared
            git add --all
            git commit --quiet --message "Add $part"
        fi
        ;;
    *)
        # Merged work of this lane lands first.
        while git merge-base --is-ancestor HEAD "$(landed)"; do
            tip=$(landed)
            if [ "$(git ls-tree --name-only "$tip" part-1 part-2 part-3 | wc -l)" -eq 3 ]; then
                echo FORKHESTRA_COMPLETE
                break
            fi
            sleep 0.02
        done
        ;;
    esac
    finish
"#;

impl ChainSubject {
    pub(crate) const ALL: [Self; 3] = [Self::Steps, Self::Flow, Self::Lanes];

    /// The comment of the answer to a question.
    pub(crate) const COMMENT: &str = "go on";

    /// The config file. Its hooks call this program.
    pub(crate) fn config(self, program: &Path) -> String {
        match self {
            Self::Steps => STEPS.to_owned(),
            Self::Lanes => LANES.to_owned(),
            Self::Flow => {
                let program = program.display();
                let hook =
                    format!("'{program}' approve \"$FORKHESTRA_RUN_ID\" '{}'", Self::COMMENT);
                FLOW.replace("HOOK", &Value::from(hook).to_string())
            }
        }
    }

    /// The agents, each with its script.
    pub(crate) fn agents(self) -> impl Iterator<Item = (&'static str, String)> {
        AGENTS.into_iter().map(|(name, script)| (name, format!("{PREAMBLE}{script}")))
    }

    /// The words of the command line that select the chain.
    pub(crate) const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Steps => &["--chain", "steps", "--done-file", "DONE"],
            Self::Flow => &["--chain", "flow"],
            Self::Lanes => &["--chain", "lanes"],
        }
    }

    /// The last iteration whose outcome is the same in all runs. Lanes take numbers as they come, and
    /// how many of them only wait depends on their speed.
    pub(crate) const fn last_certain_iteration(self) -> u64 {
        match self {
            Self::Steps | Self::Flow => u64::MAX,
            Self::Lanes => LANE_PARTS.len() as u64,
        }
    }

    /// What the agents commit in lanes, by the subjects of commits.
    pub(crate) const fn committed_work(self) -> &'static [&'static str] {
        match self {
            Self::Steps | Self::Flow => &[],
            Self::Lanes => &LANE_PARTS,
        }
    }

    /// How often it runs undisturbed to find its calls. The relative speed of threads varies, so several
    /// executions are needed to see all of them. Runs with lanes never make the same calls.
    pub(crate) const fn executions(self) -> usize {
        match self {
            Self::Steps | Self::Flow => 3,
            Self::Lanes => 1,
        }
    }

    /// A sample has one of so many of its points. Runs with lanes make far more calls and take longer.
    pub(crate) const fn sample_thinning(self) -> usize {
        match self {
            Self::Steps | Self::Flow => 1,
            Self::Lanes => 10,
        }
    }
}

/// The subjects of the commits in lanes.
const LANE_PARTS: [&str; 3] = ["Add part-1", "Add part-2", "Add part-3"];

/// Its word on the command line of the proof.
impl fmt::Display for ChainSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Flow => "flow",
            Self::Lanes => "lanes",
        })
    }
}
