//! The actions of an agent in one iteration, and the expected outcome.

use std::fmt;

use super::random::Random;
use super::side_effect::{Budget, SideEffect};

/// One iteration of an agent. A repeated attempt does the same.
#[derive(Debug, Clone)]
pub(in crate::chaos) struct AgentScript {
    pub(in crate::chaos) acts: Vec<SideEffect>,
    pub(in crate::chaos) finale: FinalAction,
}

/// How an agent ends, which determines the outcome of the iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::chaos) enum FinalAction {
    Exit(u8),
    /// Prints the marker, and exits.
    Marker {
        form: &'static str,
        code: u8,
    },
    /// Writes the done file, and exits.
    DoneFile,
    /// Prints the marker, and hangs.
    MarkerThenHang,
    Hang(&'static str),
    /// Waits until it is released, and exits with 0.
    Wait,
    /// Fails until agents are released, then exits with 0.
    FailAtFirst,
    /// Sends a signal to itself and to everything it has started.
    KillItself(&'static str),
}

/// The expected outcome of an undisturbed iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chaos) enum ExpectedOutcome {
    Incomplete,
    /// Complete by this signal.
    Complete(&'static str),
    Crashed,
    /// A limit ends it.
    Ended,
}

/// The options for a random script.
#[derive(Debug, Clone, Copy)]
pub(in crate::chaos) struct Possible {
    pub(in crate::chaos) loops: bool,
    /// Whether a limit ends an agent that hangs.
    pub(in crate::chaos) hangs_end: bool,
    pub(in crate::chaos) done_file: bool,
}

/// The argument of `--done-file`.
pub(in crate::chaos) const DONE_FILE: &str = "done.txt";

const FORMS: &[&str] = &[
    "echo FORKHESTRA_COMPLETE",
    r"printf '  **ORCHESTRA_COMPLETE**\r\n'",
    r"printf 'FORKHESTRA_'; sleep 0.01; printf 'COM'; sleep 0.01; printf 'PLETE\n'",
    "printf '<promise>COMPLETE</promise>'",
    r"printf '```\nFORKHESTRA_COMPLETE\n```\n'",
    r"printf '\033[1mRALPH_STATUS: COMPLETE\033[0m\n'; yes | head -c 300000",
];

const HANGING_COMMANDS: &[&str] = &["exec sleep 1000", "sleep 1000", "kill -s STOP $$; sleep 1000"];
const DEAF_COMMAND: &str = "trap '' TERM INT HUP; while :; do sleep 1000; done";

impl AgentScript {
    pub(in crate::chaos) fn random(
        random: &mut Random,
        possible: Possible,
        budget: &mut Budget,
    ) -> Self {
        let finale = FinalAction::random(random, possible, budget);
        let many = random.between(0, 3);
        let mut acts: Vec<SideEffect> =
            (0..many).map(|_| SideEffect::random(random, budget)).collect();
        if finale.prints() {
            acts.retain(|act| !act.is_silencing());
        }
        Self { acts, finale }
    }

    /// A script that finally prints the marker.
    pub(in crate::chaos) fn last(random: &mut Random) -> Self {
        Self { acts: Vec::new(), finale: FinalAction::marker(random) }
    }

    pub(in crate::chaos) fn expected(&self, loops: bool) -> Vec<ExpectedOutcome> {
        let by_code = |code: u8| match (code, loops) {
            (0, true) => ExpectedOutcome::Incomplete,
            (0, false) => ExpectedOutcome::Complete("exit_code"),
            _ => ExpectedOutcome::Crashed,
        };
        match &self.finale {
            FinalAction::Marker { .. } | FinalAction::MarkerThenHang if loops => {
                vec![ExpectedOutcome::Complete("marker")]
            }
            FinalAction::DoneFile if loops => vec![ExpectedOutcome::Complete("file")],
            FinalAction::Exit(code) | FinalAction::Marker { code, .. } => vec![by_code(*code)],
            FinalAction::DoneFile | FinalAction::Wait => vec![by_code(0)],
            FinalAction::FailAtFirst => vec![ExpectedOutcome::Crashed, by_code(0)],
            FinalAction::MarkerThenHang | FinalAction::Hang(_) => vec![ExpectedOutcome::Ended],
            FinalAction::KillItself(_) => vec![ExpectedOutcome::Crashed],
        }
    }

    /// Whether it always leaves the work tree in a new state.
    pub(in crate::chaos) fn makes_something_new(&self) -> bool {
        let last =
            self.acts.iter().rposition(|act| matches!(act, SideEffect::Write | SideEffect::Commit));
        let clean = self.acts.iter().rposition(|act| matches!(act, SideEffect::Clean));
        last.is_some() && clean < last
    }

    /// Whether it notes its end if it is not disturbed.
    pub(in crate::chaos) const fn comes_to_its_end(&self) -> bool {
        !matches!(self.finale, FinalAction::Hang(_) | FinalAction::MarkerThenHang)
    }

    /// The script as shell code.
    pub(in crate::chaos) fn script(&self) -> String {
        let mut lines: Vec<String> = self.acts.iter().map(SideEffect::script).collect();
        lines.push(self.finale.script());
        lines.join("\n")
    }
}

impl fmt::Display for AgentScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for act in &self.acts {
            write!(f, "{act:?}, ")?;
        }
        write!(f, "{:?}", self.finale)
    }
}

impl FinalAction {
    fn random(random: &mut Random, possible: Possible, budget: &mut Budget) -> Self {
        let Possible { loops, hangs_end, done_file } = possible;
        let rarely = |weight: u64, possible: bool| if possible { weight } else { 0 };
        let crashes = budget.crashes > 0;
        let hangs = hangs_end && budget.hangs > 0;
        let marker = Self::marker(random);
        let crash = Self::Exit(random.pick(&[1, 2, 3, 127, 255]));
        let chosen = random.weighted(&[
            (45, Self::Exit(0)),
            (rarely(12, loops), marker),
            (rarely(6, done_file), Self::DoneFile),
            (24, Self::Wait),
            (rarely(8, crashes), crash),
            (rarely(5, crashes), Self::FailAtFirst),
            (rarely(4, crashes), Self::KillItself("KILL")),
            (rarely(2, crashes), Self::KillItself("TERM")),
            (rarely(10, hangs), Self::Hang("")),
            (rarely(4, hangs && loops), Self::MarkerThenHang),
        ]);
        match chosen {
            Self::Hang(_) => {
                Budget::take(&mut budget.hangs);
                if random.percent(15) && Budget::take(&mut budget.deaf) {
                    return Self::Hang(DEAF_COMMAND);
                }
                Self::Hang(random.pick(HANGING_COMMANDS))
            }
            Self::MarkerThenHang => {
                Budget::take(&mut budget.hangs);
                chosen
            }
            Self::Exit(1..) | Self::FailAtFirst | Self::KillItself(_) => {
                Budget::take(&mut budget.crashes);
                chosen
            }
            other => other,
        }
    }

    fn marker(random: &mut Random) -> Self {
        Self::Marker { form: random.pick(FORMS), code: random.pick(&[0, 0, 0, 1]) }
    }

    const fn prints(&self) -> bool {
        matches!(self, Self::Marker { .. } | Self::MarkerThenHang)
    }

    fn script(&self) -> String {
        match self {
            Self::Exit(code) => format!("note end; exit {code}"),
            Self::Marker { form, code } => format!("{form}\nnote end; exit {code}"),
            Self::DoneFile => format!("date +%s%N > {DONE_FILE}\nnote end; exit 0"),
            Self::MarkerThenHang => "echo FORKHESTRA_COMPLETE; exec sleep 1000".to_owned(),
            Self::Hang(how) => (*how).to_owned(),
            Self::Wait => {
                "until [ -e \"$PLACE/release\" ]; do sleep 0.05; done\nnote end; exit 0".to_owned()
            }
            Self::FailAtFirst => "note end; [ -e \"$PLACE/release\" ] || exit 3\nexit 0".to_owned(),
            Self::KillItself(signal) => format!("note end; kill -s {signal} 0; sleep 1000"),
        }
    }
}
