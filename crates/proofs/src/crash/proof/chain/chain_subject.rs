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
const AGENTS: [(&str, &str); 7] = [
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
];

impl ChainSubject {
    pub(crate) const ALL: [Self; 2] = [Self::Steps, Self::Flow];

    /// The comment of the answer to a question.
    pub(crate) const COMMENT: &str = "go on";

    /// The config file. Its hooks call this program.
    pub(crate) fn config(self, program: &Path) -> String {
        match self {
            Self::Steps => STEPS.to_owned(),
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
        }
    }
}

/// Its word on the command line of the proof.
impl fmt::Display for ChainSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Flow => "flow",
        })
    }
}
