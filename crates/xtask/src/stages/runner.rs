//! Runs the stages of a tier, one after the other, except for those that run beside another one.

use std::thread;
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use devkit::error::{self, Error, Result};
use devkit::workspace::Workspace;

use super::stage::{StageContext, TestStage, Tier};
use super::table::{STAGES, selected};
use crate::real_agents::AgentInstallation;

#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// Test everything at full length: every crash point, 30 minutes of chaos, fuzzing and limits
    #[arg(long)]
    all: bool,

    /// Run only this stage; may be given more than once
    #[arg(long, value_name = "STAGE", value_parser = stage_names())]
    only: Vec<String>,

    /// List the stages and stop
    #[arg(long, conflicts_with = "only")]
    list: bool,

    /// Skip the tests of the real agents, which are installed from npm otherwise
    #[arg(long)]
    without_real_agents: bool,
}

/// Runs the quick check.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    run(
        &StageContext {
            workspace,
            tier: Tier::Check,
            agents: AgentInstallation::Declined,
            is_beside_others: false,
        },
        &selected(Tier::Check, &[]),
    )
}

/// Runs the selected stages.
pub(crate) fn test(workspace: &Workspace, args: &TestArgs) -> Result<()> {
    let tier = if args.all { Tier::All } else { Tier::Test };
    let stages = selected(tier, &args.only);
    if args.list {
        list(&stages);
        return Ok(());
    }
    let agents = if args.without_real_agents {
        AgentInstallation::Declined
    } else {
        AgentInstallation::Wanted
    };
    run(&StageContext { workspace, tier, agents, is_beside_others: false }, &stages)
}

fn stage_names() -> PossibleValuesParser {
    PossibleValuesParser::new(STAGES.iter().map(|stage| stage.name))
}

fn list(stages: &[&TestStage]) {
    for stage in stages {
        println!("{:<10} {}", stage.name, stage.about);
    }
}

fn run(context: &StageContext<'_>, stages: &[&TestStage]) -> Result<()> {
    let started = Instant::now();
    for group in groups(context.tier, stages) {
        let context = StageContext { is_beside_others: group.len() > 1, ..*context };
        thread::scope(|scope| {
            let threads: Vec<_> =
                group.iter().map(|stage| scope.spawn(|| run_stage(&context, stage))).collect();
            let results: Vec<Result<()>> =
                threads.into_iter().map(|one| one.join().expect("stages do not panic")).collect();
            results.into_iter().collect::<Result<()>>()
        })?;
    }
    let noun = if stages.len() == 1 { "stage" } else { "stages" };
    println!("== all good: {} {noun} in {:.1} s", stages.len(), started.elapsed().as_secs_f64());
    Ok(())
}

/// The stages that run at the same time.
fn groups<'a>(
    tier: Tier,
    stages: &'a [&'a TestStage],
) -> impl Iterator<Item = &'a [&'a TestStage]> {
    stages.chunk_by(move |_, next| next.beside.contains(&tier))
}

fn run_stage(context: &StageContext<'_>, stage: &TestStage) -> Result<()> {
    let name = stage.name;
    println!("== {name}: {}", stage.about);
    let started = Instant::now();
    let result = (stage.run)(context);
    let seconds = started.elapsed().as_secs_f64();
    match result {
        Ok(()) => {
            println!("== {name}: ok ({seconds:.1} s)\n");
            Ok(())
        }
        Err(error) => {
            // Printed here, so that the last line names the stage.
            error::report(&error);
            println!("== {name}: FAILED ({seconds:.1} s)");
            let all = if context.tier == Tier::All { " --all" } else { "" };
            Err(Error::Unmet(format!(
                "stage `{name}` failed; repeat only it with `cargo xtask test{all} --only {name}`"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(tier: Tier) -> String {
        let workspace = &Workspace { root: ".".into(), target: "target".into() };
        let stage = TestStage {
            name: "fmt",
            about: "a stage that fails",
            tiers: &[],
            beside: &[],
            run: |_| Err(Error::Unmet("no".to_owned())),
        };
        let agents = AgentInstallation::Declined;
        let context = StageContext { workspace, tier, agents, is_beside_others: false };
        run_stage(&context, &stage).expect_err("the stage fails").to_string()
    }

    #[test]
    fn stages_that_wait_run_at_the_same_time_in_the_test_of_a_change() {
        let sizes = |tier: Tier, only: &[&str]| -> Vec<usize> {
            let only: Vec<String> = only.iter().copied().map(str::to_owned).collect();
            let stages = selected(tier, &only);
            groups(tier, &stages).map(<[_]>::len).collect()
        };
        assert_eq!(sizes(Tier::Test, &["doc", "crash", "chaos"]), [1, 2]);
        assert_eq!(sizes(Tier::All, &["doc", "crash", "chaos"]), [1, 1, 1]);
        assert_eq!(sizes(Tier::Test, &["chaos"]), [1]);
    }

    #[test]
    fn a_failed_stage_says_how_to_repeat_it() {
        assert_eq!(
            failed(Tier::Test),
            "stage `fmt` failed; repeat only it with `cargo xtask test --only fmt`"
        );
        assert_eq!(
            failed(Tier::All),
            "stage `fmt` failed; repeat only it with `cargo xtask test --all --only fmt`"
        );
    }
}
