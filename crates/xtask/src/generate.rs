//! `cargo xtask generate`: the committed files that are made from the built program.

mod cli_reference;
mod difference;
mod program;

use devkit::error::{Error, Result};
use devkit::files;
use devkit::workspace::Workspace;

use self::program::GeneratorPrograms;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail when a file is not what it would be
    #[arg(long)]
    check: bool,
}

/// A committed file and how it is made.
struct GeneratedFile {
    path: &'static str,
    make: fn(&GeneratorPrograms) -> Result<String>,
}

const GENERATED: &[GeneratedFile] = &[
    GeneratedFile {
        path: "docs/chains.schema.json",
        make: |programs| programs.forkhestra.prints(&["schema"]),
    },
    GeneratedFile {
        path: "docs/schemas/chain-state.schema.json",
        make: |programs| programs.forkhestra.prints(&["schema", "chain-state"]),
    },
    GeneratedFile {
        path: "docs/schemas/run-state.schema.json",
        make: |programs| programs.forkhestra.prints(&["schema", "run-state"]),
    },
    GeneratedFile {
        path: "docs/schemas/iteration.schema.json",
        make: |programs| programs.forkhestra.prints(&["schema", "iteration"]),
    },
    GeneratedFile {
        path: "docs/schemas/event.schema.json",
        make: |programs| programs.forkhestra.prints(&["schema", "events"]),
    },
    GeneratedFile {
        path: "docs/schemas/stats.schema.json",
        make: |programs| programs.forkhestra.prints(&["schema", "stats"]),
    },
    GeneratedFile {
        path: "docs/cli-reference.md",
        make: |programs| cli_reference::make(&programs.forkhestra),
    },
    GeneratedFile {
        path: "docs/ralph-runner-reference.md",
        make: |programs| cli_reference::make(&programs.ralph_runner),
    },
    GeneratedFile {
        path: "docs/forge-tasks-reference.md",
        make: |programs| cli_reference::make(&programs.forge_tasks),
    },
];

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if args.check { check(workspace) } else { write(workspace) }
}

fn write(workspace: &Workspace) -> Result<()> {
    let programs = GeneratorPrograms::build(workspace)?;
    for file in GENERATED {
        let wanted = (file.make)(&programs)?;
        let path = workspace.root.join(file.path);
        let verdict = if files::read_text_if_any(&path)?.as_ref() == Some(&wanted) {
            "unchanged"
        } else {
            files::write(&path, &wanted)?;
            "written"
        };
        println!("{}: {verdict}", file.path);
    }
    Ok(())
}

/// Fails if a committed file differs from its generated content.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let programs = GeneratorPrograms::build(workspace)?;
    let mut outdated = Vec::new();
    for file in GENERATED {
        let wanted = (file.make)(&programs)?;
        let committed = files::read_text_if_any(&workspace.root.join(file.path))?;
        match problem(committed.as_deref(), &wanted) {
            None => println!("{}: up to date", file.path),
            Some(problem) => {
                println!("{}: {problem}", file.path);
                outdated.push(file.path);
            }
        }
    }
    if outdated.is_empty() {
        return Ok(());
    }
    Err(Error::Unmet(format!("out of date: {}; run `cargo xtask generate`", outdated.join(", "))))
}

fn problem(committed: Option<&str>, wanted: &str) -> Option<String> {
    match committed {
        None => Some("does not exist".to_owned()),
        Some(committed) => difference::first(committed, wanted)
            .map(|difference| format!("differs from what would be generated\n{difference}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_different_file_is_a_problem_and_an_equal_one_is_none() {
        assert_eq!(problem(Some("same\n"), "same\n"), None);
        assert_eq!(problem(None, "new\n").as_deref(), Some("does not exist"));
        let text = problem(Some("old\n"), "new\n").expect("they differ");
        assert!(text.contains("-old\n+new"), "{text}");
    }
}
