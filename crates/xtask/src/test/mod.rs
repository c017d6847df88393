//! `cargo xtask test`: everything that has to hold before a change is accepted.

mod stages;

use std::time::Instant;

use clap::builder::PossibleValuesParser;

use crate::error::{self, Error, Result};
use crate::real_agents::RealAgents;
use crate::workspace::Workspace;

use self::stages::{STAGES, Stage};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
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

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if args.list {
        list();
        return Ok(());
    }
    let real_agents =
        if args.without_real_agents { RealAgents::Declined } else { RealAgents::Wanted };
    let workspace = &Workspace { real_agents, ..workspace.clone() };
    let chosen: Vec<&Stage> = STAGES.iter().filter(|stage| is_chosen(stage, args)).collect();
    let started = Instant::now();
    for stage in &chosen {
        run_stage(workspace, stage)?;
    }
    let stages = if chosen.len() == 1 { "stage" } else { "stages" };
    println!("== all good: {} {stages} in {:.1} s", chosen.len(), started.elapsed().as_secs_f64());
    Ok(())
}

fn stage_names() -> PossibleValuesParser {
    PossibleValuesParser::new(STAGES.iter().map(|stage| stage.name))
}

fn list() {
    for stage in STAGES {
        println!("{:<10} {}", stage.name, stage.about);
    }
}

fn is_chosen(stage: &Stage, args: &Args) -> bool {
    args.only.is_empty() || args.only.iter().any(|name| name == stage.name)
}

fn run_stage(workspace: &Workspace, stage: &Stage) -> Result<()> {
    let name = stage.name;
    println!("== {name}: {}", stage.about);
    let started = Instant::now();
    let result = (stage.run)(workspace);
    let seconds = started.elapsed().as_secs_f64();
    match result {
        Ok(()) => {
            println!("== {name}: ok ({seconds:.1} s)\n");
            Ok(())
        }
        Err(error) => {
            // Here and not at the end: the last line belongs to the name of the stage.
            error::report(&error);
            println!("== {name}: FAILED ({seconds:.1} s)");
            Err(Error::Stage { name })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stages_run_unless_some_are_named() {
        let only = |only| Args { only, list: false, without_real_agents: false };
        let everything = only(Vec::new());
        let two = only(vec!["tidy".to_owned(), "fmt".to_owned()]);
        let names = |args: &Args| -> Vec<&str> {
            STAGES.iter().filter(|stage| is_chosen(stage, args)).map(|stage| stage.name).collect()
        };
        assert_eq!(names(&everything).len(), STAGES.len());
        assert_eq!(names(&two), ["fmt", "tidy"], "in the order of the table");
    }

    #[test]
    fn a_failed_stage_says_how_to_repeat_it() {
        let workspace = Workspace {
            root: ".".into(),
            target: "target".into(),
            real_agents: RealAgents::Declined,
        };
        let stage = Stage {
            name: "fmt",
            about: "a stage that fails",
            run: |_| Err(Error::Unmet("no".to_owned())),
        };
        let error = run_stage(&workspace, &stage).expect_err("the stage fails");
        assert_eq!(
            error.to_string(),
            "stage `fmt` failed; repeat only it with `cargo xtask test --only fmt`"
        );
    }
}
