//! Manual pages: one for each program and each of its verbs, from the command lines themselves.

mod page;
mod sections;

use clap::Command;
use forge_tasks::cli::completion as forge_tasks_line;

pub(crate) use self::page::Page;
use crate::program::Program;
use crate::version;

/// All pages, each program before its verbs.
pub(crate) fn pages() -> Vec<Page> {
    commands().iter().flat_map(|(program, command)| pages_of(program, command)).collect()
}

/// What the pages are called.
pub(crate) fn names() -> Vec<String> {
    commands().iter().flat_map(|(_, command)| names_of(command)).collect()
}

/// The programs, with commands that know their full names.
fn commands() -> [(&'static str, Command); 3] {
    let forge_tasks = forge_tasks_line::command(version::CURRENT);
    [
        ("forkhestra", Program::Forkhestra.command()),
        ("forge-tasks", forge_tasks),
        ("ralph-runner", Program::RalphRunner.command()),
    ]
    .map(|(name, command)| {
        // A page about `help` would be about nothing.
        let mut command = command.disable_help_subcommand(true);
        command.build();
        (name, command)
    })
}

fn pages_of(program: &'static str, command: &Command) -> Vec<Page> {
    let own = Page::of(program, command);
    let verbs = verbs_of(command).flat_map(|verb| pages_of(program, verb));
    [own].into_iter().chain(verbs).collect()
}

fn names_of(command: &Command) -> Vec<String> {
    let own = page::name_of(command);
    [own].into_iter().chain(verbs_of(command).flat_map(names_of)).collect()
}

/// The verbs that people use.
fn verbs_of(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set())
}
