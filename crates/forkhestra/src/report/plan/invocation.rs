//! The shell command that starts an agent, ready to paste.

use std::path::Path;

use forkhestra_core::id::RunId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{AgentKind, DirectSpawn, Plan, PlanStep, ProgramLocation, Prompt};
use forkhestra_core::text;
use forkhestra_engine::AGENT_VARIABLES;
use forkhestra_engine::agent::command::{
    self, AgentInstructions, Invocation, InvocationError, InvocationRequest,
};
use forkhestra_engine::regular_file;
use typeset::text::{is_control_character, visible};

use super::dry_run::DryRunEntry;
use crate::project::host_facts;
use crate::project::project_location::ProjectLocation;

/// Characters shown of an abbreviated argument.
const MAX_SHOWN: usize = 60;

/// Placeholder for a directory that the shell command creates.
const SCRATCH: &str = "/forkhestra-scratch-directory";

/// The command of a directly spawned agent. Program agents have none; their own entries show how
/// they start.
pub(crate) fn entry(
    step: &PlanStep,
    plan: &Plan,
    project: &ProjectLocation,
) -> Option<DryRunEntry> {
    let AgentKind::Direct(direct) = &step.agent.kind else { return None };
    let invocation = match invocation(step, direct, (plan, project)) {
        Ok(invocation) => invocation,
        Err(why) => return Some(DryRunEntry::warning(&visible(&why.to_string()))),
    };
    let script = script(direct, &invocation, &reading(step, plan, &invocation));
    let mut lines: Vec<String> = script.split('\n').map(str::to_owned).collect();
    let extended = direct.backend.facts().config_variable;
    if let Some(name) = extended.filter(|name| project.environment.variable(name).is_some()) {
        lines.insert(0, format!("# a run adds to the value that {name} has"));
    }
    let given: Vec<String> = configured_variables(direct).map(str::to_owned).collect();
    if !given.is_empty() {
        let whose = if given.len() == 1 { "its value is" } else { "their values are" };
        lines.insert(
            0,
            format!("# set {} first: {whose} in the config", text::join_with_and(&given)),
        );
    }
    let key = if step.runs_fallback() { "command of the fallback" } else { "command" };
    Some(DryRunEntry::for_copying(key, lines))
}

/// What a known agent program is started with.
pub(crate) struct AgentInvocationReport {
    pub(crate) system_prompt: String,
    pub(crate) prompt: String,
    /// Names of the variables set in addition to the inherited ones.
    pub(crate) variables: Vec<String>,
    /// The command with long texts abbreviated.
    pub(crate) command: String,
}

/// Everything that the first iteration of a step would be started with.
pub(crate) fn direct_invocation(
    step: &PlanStep,
    direct: &DirectSpawn,
    plan: &Plan,
    project: &ProjectLocation,
) -> Result<AgentInvocationReport, InvocationError> {
    let instructions = AgentInstructions::read(step, direct, Path::new(&plan.working_directory))?;
    let invocation = invocation(step, direct, (plan, project))?;
    let configured = direct.env.names().map(str::to_owned);
    let ours = invocation.env.iter().map(|(name, _)| name.clone());
    let in_run = AGENT_VARIABLES.iter().map(|name| (*name).to_owned());
    let program = match &direct.location {
        ProgramLocation::Found(path) => path,
        ProgramLocation::Missing(_) => &direct.command,
    };
    let args = invocation.args.iter().map(|arg| word(&cut_short(arg)));
    let command: Vec<String> = [word(program)].into_iter().chain(args).collect();
    Ok(AgentInvocationReport {
        system_prompt: instructions.system_prompt,
        prompt: instructions.prompt,
        variables: in_run.chain(ours).chain(configured).collect(),
        command: command.join(" "),
    })
}

/// The beginning of a long text.
fn cut_short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let beginning: String = line.chars().take(MAX_SHOWN).collect();
    if beginning == text { beginning } else { format!("{beginning}…") }
}

/// Variables that the config sets for an agent. Names that are no shell identifiers are left out:
/// they cannot be assigned in front of a command.
fn configured_variables(direct: &DirectSpawn) -> impl Iterator<Item = &str> {
    direct.env.names().filter(|name| is_shell_name(name))
}

/// The invocation of the first iteration. Values of variables may be secrets, so only those that
/// locate the home directory are read.
fn invocation(
    step: &PlanStep,
    direct: &DirectSpawn,
    (plan, project): (&Plan, &ProjectLocation),
) -> Result<Invocation, InvocationError> {
    let home = |name: &str| {
        let is_home = name == "HOME" || name == "GEMINI_CLI_HOME";
        project.environment.variable(name).filter(|_| is_home).map(Into::into)
    };
    let directory = Path::new(&plan.working_directory);
    let args: Vec<String> = step.args.iter().map(|arg| arg.value.clone()).collect();
    let just_begun = RunState::new(RunId::from_random(0), plan.clone());
    command::invocation(&InvocationRequest {
        direct,
        instructions: &AgentInstructions::read(step, direct, directory)?,
        args: &args,
        budget: just_begun.budget_left(step.number),
        directory,
        scratch: Path::new(SCRATCH),
        inherited: &home,
        host: &host_facts::host_facts_of_plan(plan, project),
    })
}

/// The invocation as a shell script: files, standard input, variables, program, arguments.
fn script(direct: &DirectSpawn, invocation: &Invocation, reading: &StdinSource) -> String {
    let mut text = String::new();
    if !invocation.files.is_empty() {
        text.push_str("d=$(mktemp -d)\n");
    }
    for (name, content) in &invocation.files {
        text.push_str(&format!("printf %s {} > \"$d\"/{name}\n", quoted(content)));
    }
    text.push_str(&reading.before);
    for name in configured_variables(direct) {
        text.push_str(&format!("{name}=\"${name}\" "));
    }
    for (name, value) in &invocation.env {
        text.push_str(&format!("{name}={} ", word(value)));
    }
    let program = match &direct.location {
        ProgramLocation::Found(path) => path,
        ProgramLocation::Missing(_) => &direct.command,
    };
    text.push_str(&word(program));
    for arg in &invocation.args {
        text.push(' ');
        text.push_str(&word(arg));
    }
    text.push_str(&reading.after);
    text
}

/// Shell code that supplies standard input.
#[derive(Default)]
struct StdinSource {
    before: String,
    after: String,
}

fn reading(step: &PlanStep, plan: &Plan, invocation: &Invocation) -> StdinSource {
    let Some(text) = &invocation.stdin else {
        return StdinSource { after: " < /dev/null".to_owned(), ..StdinSource::default() };
    };
    if let Prompt::File(path) = &step.prompt.value {
        let content = regular_file::read_text(&Path::new(&plan.working_directory).join(path));
        if content.is_ok_and(|content| content == *text) {
            return StdinSource { after: format!(" < {}", word(path)), ..StdinSource::default() };
        }
    }
    StdinSource { before: format!("printf %s {} | ", quoted(text)), ..StdinSource::default() }
}

fn is_shell_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// A shell word, quoted if needed.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !text.contains(SCRATCH) {
        return text.to_owned();
    }
    quoted(text)
}

/// A quoted shell word. Line breaks stay; control characters are produced by `printf` in the shell,
/// so that the terminal does not interpret them.
fn quoted(text: &str) -> String {
    let parts: Vec<String> = text.split(SCRATCH).map(quoted_part).collect();
    parts.join("\"$d\"")
}

fn quoted_part(text: &str) -> String {
    let is_obeyed = |c: char| c != '\n' && is_control_character(c);
    if !text.contains(is_obeyed) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    // Command substitution strips trailing line breaks.
    let body = text.trim_end_matches('\n');
    let mut escaped = String::new();
    for character in body.chars() {
        match character {
            '\\' => escaped.push_str(r"\\"),
            '\'' => escaped.push_str(r"'\''"),
            _ if is_obeyed(character) => {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).bytes();
                escaped.extend(bytes.map(|byte| format!(r"\0{byte:03o}")));
            }
            _ => escaped.push(character),
        }
    }
    let end = &text[body.len()..];
    let end = if end.is_empty() { String::new() } else { format!("'{end}'") };
    format!("\"$(printf %b '{escaped}')\"{end}")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// Passes the words through a shell.
    fn read_back(words: &[String]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|text| word(text)).collect();
        let script = format!("d=/tmp/d; printf '%s\\0' {}", words.join(" "));
        let output = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
        let text = String::from_utf8(output.stdout).expect("the words are text");
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn a_shell_reads_back_what_was_written() {
        let words = [
            "plain",
            "",
            "it's \"quoted\" $HOME `x` \\ !",
            "two\nlines\n\n",
            "\u{1b}[31m tab\t return\r\u{9b} \u{202e}x\u{7f}",
            "*",
            "~",
            "é",
        ]
        .map(str::to_owned);
        assert_eq!(read_back(&words), words);
    }

    #[test]
    fn a_path_in_the_scratch_directory_is_in_the_one_that_the_shell_made() {
        let config = format!("{{\"instructions\":[\"{SCRATCH}/x.md\"]}}");
        assert_eq!(read_back(&[config]), [r#"{"instructions":["/tmp/d/x.md"]}"#]);
        assert_eq!(read_back(&[format!("{SCRATCH}/x.md")]), ["/tmp/d/x.md"]);
    }

    #[test]
    fn nothing_that_a_terminal_would_obey_is_written() {
        let text = word("a\u{1b}b\tc\u{9b}\nd");
        assert!(!text.replace('\n', "").contains(is_control_character), "{text:?}");
    }

    #[test]
    fn only_names_that_a_shell_knows_are_given_values() {
        for (name, expected) in [("A_1", true), ("_x", true), ("1A", false), ("a b", false)] {
            assert_eq!(is_shell_name(name), expected, "{name}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn any_words_are_read_back(words in prop::collection::vec("[^\0]{0,40}", 1..8)) {
            prop_assert_eq!(read_back(&words), words);
        }
    }
}
