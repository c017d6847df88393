//! The random agents of a run with lanes.

use std::fmt;

use crate::chaos::script::random::Random;
use crate::survival::world::ProofWorld;

/// What every agent knows how to do. `work` commits a file of its own and notes that, `clash` changes a
/// line that all change, and both first merge what has landed if their last work was refused.
const PREAMBLE: &str = r#"
trap '' PIPE
git_dir=$(git rev-parse --git-dir) || exit 7
find "$git_dir" -name '*.lock' -delete
git reset --quiet --hard
if ! git merge --quiet --no-edit refs/forkhestra/integration > /dev/null 2>&1; then
    git show :2:shared :3:shared 2> /dev/null | sort -u > "$git_dir/both" && mv "$git_dir/both" shared
    git add --all && git commit --quiet --no-edit || git merge --abort
fi
commit() { git add --all && git commit --quiet --message "$1"; }
work() {
    name="$FORKHESTRA_STEP-$FORKHESTRA_ITERATION"
    [ -e "work-$name" ] || { echo > "work-$name" && commit "Work $name"; }
}
clash() {
    name="$FORKHESTRA_STEP-$FORKHESTRA_ITERATION"
    grep -qx "$name" shared || { echo "$name" >> shared && commit "Clash $name"; }
}
"#;

/// One action of an agent, as a shell command.
const ACTIONS: [(u64, &str); 13] = [
    (30, "work"),
    (20, "clash"),
    (4, "echo left > leftover-$$"),
    (4, "echo changed >> shared"),
    (5, "yes 'output without end' | head -c 3000000"),
    (4, "git commit --quiet --amend --no-edit --allow-empty"),
    (3, "git checkout --quiet -b side-$$ && git checkout --quiet -"),
    (3, "git branch -D side 2> /dev/null; git update-ref -d refs/forkhestra/integration"),
    (
        3,
        "for ref in $(git for-each-ref --format='%(refname)' refs/tags refs/remotes); do git update-ref -d $ref; done",
    ),
    (3, "git gc --quiet --prune=now 2> /dev/null"),
    (4, "(setsid sleep 300 < /dev/null > /dev/null 2>&1 &)"),
    (3, "setsid sh -c 'trap \"\" TERM; sleep 300' < /dev/null > /dev/null 2>&1 &"),
    (8, "sleep 0.1"),
];

/// How an agent ends.
const ENDS: [(u64, &str); 6] = [
    (60, "note end"),
    (10, "note end; exit 3"),
    (8, "echo FORKHESTRA_COMPLETE; note end"),
    (8, "sleep 300"),
    (6, "kill -KILL $$"),
    (3, "rm -rf .git; note end"),
];

/// The number of iterations with a script of their own. Later ones only merge.
const SCRIPTS: u64 = 9;

/// A chain with lanes, and what its agents do.
#[derive(Debug)]
pub(super) struct LaneAgents {
    definition: String,
    /// The scripts of each agent, one for each iteration.
    agents: Vec<(&'static str, Vec<String>)>,
    timeout: u64,
}

impl LaneAgents {
    pub(super) fn random(random: &mut Random) -> Self {
        let iterations = random.between(3, 7);
        let branches = random.percent(35);
        let (definition, names): (String, &[&str]) = if branches {
            let second = random.between(1, 4);
            (format!("(one:{} | two:{second})", iterations.min(4)), &["one", "two"])
        } else {
            (format!("one:{iterations} x{}", random.between(2, 4)), &["one"])
        };
        let agents = names
            .iter()
            .map(|name| (*name, (0..SCRIPTS).map(|_| script(random)).collect::<Vec<String>>()));
        let agents = agents.collect();
        Self { definition, agents, timeout: random.between(2, 4) }
    }

    /// The arguments that start the run.
    pub(super) fn arguments(&self) -> Vec<String> {
        let timeout = format!("{}s", self.timeout);
        let words = ["run", &self.definition, "--timeout", &timeout];
        words.map(str::to_owned).to_vec()
    }

    /// Writes the agents' programs.
    pub(super) fn install(&self, world: &ProofWorld) {
        for (name, scripts) in &self.agents {
            let mut program = format!("{PREAMBLE}case $FORKHESTRA_ITERATION in\n");
            for (iteration, script) in (1..).zip(scripts) {
                program.push_str(&format!("{iteration})\n{script}\n;;\n"));
            }
            program.push_str("*) note end ;;\nesac\n");
            world.agent(name, &program);
        }
    }
}

fn script(random: &mut Random) -> String {
    let count = random.between(1, 3);
    let mut lines: Vec<&str> = (0..count).map(|_| random.weighted(&ACTIONS)).collect();
    lines.push(random.weighted(&ENDS));
    lines.join("\n")
}

impl fmt::Display for LaneAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}", self.definition)?;
        for (name, scripts) in &self.agents {
            for (iteration, script) in (1..).zip(scripts) {
                writeln!(f, "  {name} {iteration}: {}", script.replace('\n', "; "))?;
            }
        }
        Ok(())
    }
}
