//! Side effects of agents. None of them determines the outcome of an iteration.

use super::random::Random;

/// An action of an agent before its end.
#[derive(Debug, Clone)]
pub(in crate::chaos) enum SideEffect {
    /// Prints a lot, on standard output or standard error.
    Flood {
        kib: u64,
        errors: bool,
    },
    /// Prints a line in pieces.
    HalfLines,
    /// Prints the marker in pieces, with more text after it.
    SplitMention,
    /// Prints invalid UTF-8.
    Bytes,
    /// Prints the marker where it must not count.
    Mention(&'static str),
    /// Starts a process that outlives it.
    Leave(Straggler),
    /// Removes all files from the work tree that git does not track.
    Clean,
    /// Removes the views of the run in the work tree.
    RemoveState,
    /// Creates a file in the work tree.
    Write,
    /// Creates a commit.
    Commit,
    /// Fills a temporary directory of its own, and removes it.
    Fill,
    CloseOutput,
    Nap {
        milliseconds: u64,
    },
    /// Sends a signal to guard or runner, once in all sessions.
    Attack {
        signal: &'static str,
        target: &'static str,
    },
}

/// A process that is left behind.
#[derive(Debug, Clone, Copy)]
pub(in crate::chaos) enum Straggler {
    /// In the background, with standard output open.
    Background,
    /// In a session of its own.
    Session,
    /// With its parent gone.
    DoubleFork,
    /// In a session of its own, without open descriptors.
    Silent,
    /// Ends by itself after a moment.
    Brief,
    /// Ignores signals.
    Deaf,
}

/// The number of slow side effects that are left for one round.
#[derive(Debug, Clone, Copy)]
pub(in crate::chaos) struct Budget {
    pub(in crate::chaos) stragglers: u64,
    pub(in crate::chaos) deaf: u64,
    pub(in crate::chaos) attacks: u64,
    pub(in crate::chaos) hangs: u64,
    pub(in crate::chaos) crashes: u64,
}

impl Budget {
    pub(in crate::chaos) fn for_round(random: &mut Random) -> Self {
        Self {
            stragglers: random.between(0, 3),
            deaf: u64::from(random.percent(15)),
            attacks: random.between(0, 1),
            hangs: random.between(0, 2),
            crashes: random.between(0, 2),
        }
    }

    /// Takes one from a budget, if there is one left.
    pub(in crate::chaos) fn take(left: &mut u64) -> bool {
        let any = *left > 0;
        *left -= u64::from(any);
        any
    }
}

/// Lines with a marker that are no claim of completion, even if the agent is killed in between:
/// each is printed at once.
const MENTIONS: &[&str] = &[
    r#"echo "When I am done I will print FORKHESTRA_COMPLETE.""#,
    "echo FORKHESTRA_COMPLETE >&2",
    r"printf 'For example:\n```\nFORKHESTRA_COMPLETE\n```\nBut I am not.\n'",
    r"printf '~~~text\nfirst\nORCHESTRA_COMPLETE\n~~~\n'",
    "echo NOT_FORKHESTRA_COMPLETED",
    "echo '> FORKHESTRA_COMPLETE'",
    r"printf '50%%\rFORKHESTRA_COMPLETE\n'",
    "echo forkhestra_complete",
    "echo 'ORCHESTRA_COMPLETE?'",
    r"printf 'FORKHESTRA_COMPLETE\000\n'",
    "echo 'the <promise>COMPLETE</promise> is not given yet'",
    "echo RALPH_STATUS: COMPLETE or not",
];

impl SideEffect {
    pub(in crate::chaos) fn random(random: &mut Random, budget: &mut Budget) -> Self {
        let flood = Self::Flood { kib: random.pick(&[64, 300, 3000]), errors: random.percent(30) };
        let (mention, milliseconds) = (random.pick(MENTIONS), random.between(1, 80));
        let act = random.weighted(&[
            (3, flood),
            (2, Self::HalfLines),
            (2, Self::SplitMention),
            (2, Self::Bytes),
            (10, Self::Mention(mention)),
            (4, Self::Leave(Straggler::Brief)),
            (2, Self::Clean),
            (2, Self::RemoveState),
            (4, Self::Write),
            (2, Self::Commit),
            (2, Self::Fill),
            (1, Self::CloseOutput),
            (8, Self::Nap { milliseconds }),
            (2, Self::Attack { signal: "", target: "" }),
        ]);
        match act {
            Self::Leave(_) => Self::Leave(Straggler::random(random, budget)),
            Self::Attack { .. } => Self::attack(random, budget),
            other => other,
        }
    }

    fn attack(random: &mut Random, budget: &mut Budget) -> Self {
        if !Budget::take(&mut budget.attacks) {
            return Self::HalfLines;
        }
        let signal = random.pick(&["KILL", "KILL", "TERM", "INT", "HUP"]);
        Self::Attack { signal, target: random.pick(&["runner", "group", "guard"]) }
    }

    /// Whether nothing can be printed after it.
    pub(in crate::chaos) const fn is_silencing(&self) -> bool {
        matches!(self, Self::CloseOutput)
    }

    /// The side effect as a line of shell code.
    pub(in crate::chaos) fn script(&self) -> String {
        match self {
            Self::Flood { kib, errors } => {
                let to = if *errors { " >&2" } else { "" };
                format!("yes 'I say FORKHESTRA_COMPLETE and am not' | head -c {}{to}; echo{to}", kib * 1024)
            }
            Self::HalfLines => {
                "printf 'half a'; sleep 0.02; printf ' line'; sleep 0.01; echo".to_owned()
            }
            Self::SplitMention => {
                "printf 'FORKHESTRA_'; sleep 0.02; printf 'COMPLETE I am not\\n'".to_owned()
            }
            Self::Bytes => r"printf '\377\376\200\000\033[31m\303(\n'".to_owned(),
            Self::Mention(line) => (*line).to_owned(),
            Self::Leave(straggler) => straggler.script().to_owned(),
            Self::Clean => "git clean -fdxq || :".to_owned(),
            Self::RemoveState => "rm -rf .agent-state".to_owned(),
            Self::Write => WRITE.to_owned(),
            Self::Commit => {
                format!("{WRITE}; {{ git add --all && git commit -qm Work; }} 2>/dev/null || :")
            }
            Self::Fill => {
                r#"d=$(mktemp -d "$TMPDIR/agent-XXXXXX"); head -c 300000 /dev/zero > "$d/full"; rm -rf "$d""#
                    .to_owned()
            }
            Self::CloseOutput => "exec >&-".to_owned(),
            Self::Nap { milliseconds } => format!("sleep 0.{milliseconds:03}"),
            Self::Attack { signal, target } => attack(signal, target),
        }
    }
}

const WRITE: &str = r#"echo "$$ $(date +%s%N)" >> "work-$FORKHESTRA_STEP-$FORKHESTRA_ITERATION""#;

/// Sends a signal to guard or runner, once: it first creates a directory whose name describes the
/// attack. A process that reuses the id of a dead guard is left alone.
fn attack(signal: &str, target: &str) -> String {
    let recipient = match target {
        "runner" => "$PPID",
        "group" => "-$PPID",
        _ => "$guard",
    };
    let name = format!("attack-$FORKHESTRA_STEP-$FORKHESTRA_ITERATION-{signal}-{target}");
    format!(
        r#"guard=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)
if grep -q '^forkhestra$' "/proc/$guard/comm" && mkdir "$PLACE/{name}" 2>/dev/null; then
kill -s {signal} -- "{recipient}"
fi"#
    )
}

impl Straggler {
    fn random(random: &mut Random, budget: &mut Budget) -> Self {
        if random.percent(10) && Budget::take(&mut budget.deaf) {
            return Self::Deaf;
        }
        if !Budget::take(&mut budget.stragglers) {
            return Self::Brief;
        }
        random.pick(&[Self::Background, Self::Session, Self::DoubleFork, Self::Silent])
    }

    const fn script(self) -> &'static str {
        match self {
            Self::Background => "sleep 1000 &",
            Self::Session => "(setsid sleep 1000 &)",
            Self::DoubleFork => "( (sleep 1000 &) & )",
            Self::Silent => "(setsid sleep 1000 >/dev/null 2>&1 </dev/null &)",
            Self::Brief => "(sleep 0.1 &)",
            Self::Deaf => {
                r#"(setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 1000; done' &)"#
            }
        }
    }
}
