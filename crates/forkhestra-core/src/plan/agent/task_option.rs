//! `--task ID` among the arguments of a task worker that is spawned directly, built in or
//! configured: the task becomes part of the prompt, since no agent program has such an option.

use crate::built_in::{self, BuiltInAgent};
use crate::diagnostic::Diagnostic;
use crate::plan::agent::plan_agent::{AgentKind, PlanAgent};
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::types::Prompt;
use crate::plan::value_origin::Sourced;

const OPTION: &str = "--task";

/// The sentence that names the task of a worker.
pub fn work_on(task: &str) -> String {
    format!("Work on {task}.")
}

/// The option and the arguments it consists of.
struct TaskOption {
    at: usize,
    words: usize,
    id: Option<String>,
}

/// What is wrong with an option, and the index of its argument.
struct TaskOptionError {
    at: usize,
    message: String,
    label: &'static str,
}

impl PlanBuilder<'_> {
    /// Turns `--task ID` into a part of the prompt for a task worker that is no plain program.
    /// Returns the id.
    pub(crate) fn pass_task_option(
        &mut self,
        draft: &StepDraft<'_>,
        agent: &PlanAgent,
        args: &mut Vec<Sourced<String>>,
        prompt: &mut Sourced<Prompt>,
    ) -> Option<String> {
        let is_worker = built_in::agent(draft.agent).is_some_and(BuiltInAgent::takes_a_task);
        if !matches!(agent.kind, AgentKind::Direct(_)) || !is_worker {
            return None;
        }
        let found = find(args)?;
        // A variable without a value leaves no argument, and is reported anyway.
        if !self.missing_variables.is_empty() {
            return None;
        }
        if let Err(wrong) = check(&found, args) {
            self.report_argument(draft, wrong);
            return None;
        }
        let source = args[found.at].source.clone();
        args.drain(found.at..found.at + found.words);
        let id = found.id?;
        match &mut prompt.value {
            Prompt::None => *prompt = Sourced::new(Prompt::Text(work_on(&id)), source),
            Prompt::Text(text) => *text = format!("{}\n\n{text}", work_on(&id)),
            // The file is read anew for every iteration, so the sentence is prepended then.
            Prompt::File(_) => {}
        }
        Some(id)
    }

    /// Points at the argument, if it is in a file.
    fn report_argument(
        &mut self,
        draft: &StepDraft<'_>,
        TaskOptionError { at, message, label }: TaskOptionError,
    ) {
        let written = draft.in_config().and_then(|(layer, _, step)| {
            let args = &step.args.as_ref()?.value;
            // Arguments of the command line come after those of the step.
            Some((layer, args.get(at)?.span))
        });
        let error = Diagnostic::error(message)
            .hint("name one task: `--task TASK-001`; `forge-tasks list` shows which there are");
        self.report(match written {
            Some((layer, span)) => error.at(&layer.source, span, label),
            None => error,
        });
    }
}

fn find(args: &[Sourced<String>]) -> Option<TaskOption> {
    args.iter().enumerate().find_map(|(at, arg)| {
        if arg.value == OPTION {
            let id = args.get(at + 1).map(|id| id.value.clone());
            return Some(TaskOption { at, words: if id.is_some() { 2 } else { 1 }, id });
        }
        let id = arg.value.strip_prefix(OPTION)?.strip_prefix('=')?;
        Some(TaskOption { at, words: 1, id: Some(id.to_owned()) })
    })
}

/// Checks the option; an error holds the index of its argument.
fn check(found: &TaskOption, args: &[Sourced<String>]) -> Result<(), TaskOptionError> {
    let end = found.at + found.words;
    let wrong = |at, message, label| Err(TaskOptionError { at, message, label });
    let id = match found.id.as_deref() {
        None => {
            return wrong(
                found.at,
                format!("`{OPTION}` needs the id of a task"),
                "nothing follows",
            );
        }
        Some("") => {
            return wrong(end - 1, format!("`{OPTION}` needs the id of a task"), "this is empty");
        }
        Some(id) => id,
    };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.starts_with('-') || !id.chars().all(is_plain) {
        let message = format!("`{OPTION}` is given {id:?}, which is not the id of a task");
        return wrong(end - 1, message, "not an id");
    }
    match find(&args[end..]) {
        Some(second) => {
            wrong(end + second.at, format!("`{OPTION}` is given twice"), "the second one")
        }
        None => Ok(()),
    }
}
