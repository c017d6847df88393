//! Arguments of `create` and `edit`. Common other names of an option are accepted as aliases.

use clap::Args;

use super::SetOrClear;
use crate::actions::{NewTask, TaskEdit};
use crate::cli::args::values::{
    CommaSeparated, all, criteria, criterion, due_date, id, ids, line, priority, text, title,
};
use crate::{DueDate, IdQuery, Priority, TaskStatus};

/// Arguments of `create`. An empty value counts as none.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The title, in one line.
    #[arg(value_name = "TITLE", allow_hyphen_values = true, value_parser = title)]
    title: String,

    /// Why the task exists, and what is wanted; `\n` is a newline.
    #[arg(short, long, aliases = ["desc", "body", "text", "message"], value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    description: Option<String>,

    /// Priority: high, medium or low.
    #[arg(short, long, alias = "prio", value_name = "PRIORITY", value_parser = priority)]
    priority: Option<SetOrClear<Priority>>,

    /// The assignee.
    #[arg(short, long, aliases = ["assign", "assigned-to", "owner", "agent"], value_name = "NAME", value_parser = line)]
    assignee: Option<String>,

    /// Labels; repeatable, or separated by commas.
    #[arg(short, long = "label", aliases = ["labels", "tag", "tags", "add-label"], value_name = "LABEL", value_delimiter = ',', value_parser = line)]
    labels: Vec<String>,

    /// Due date, such as 2026-12-31.
    #[arg(long, aliases = ["due-date", "deadline"], value_name = "DATE", value_parser = due_date)]
    due: Option<SetOrClear<DueDate>>,

    /// Task IDs this depends on (may be created later); repeatable, or separated by commas.
    #[arg(long = "depends-on", aliases = ["deps", "dep", "depends", "dependency", "dependencies", "needs", "blocked-by", "add-dep"], value_name = "ID", value_parser = ids)]
    depends_on: Vec<CommaSeparated<IdQuery>>,

    /// An acceptance criterion; repeatable.
    #[arg(long = "ac", aliases = ["acs", "criterion", "criteria", "acceptance", "acceptance-criteria", "add-ac"], value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    criteria: Vec<String>,

    /// The parent task.
    #[arg(long, aliases = ["part-of", "epic"], value_name = "ID", value_parser = id)]
    parent: Option<SetOrClear<IdQuery>>,
}

impl CreateArgs {
    /// The task to create.
    pub(crate) fn new_task(&self) -> NewTask {
        NewTask {
            title: self.title.clone(),
            description: self.description.clone().filter(|text| !text.trim().is_empty()),
            priority: self.priority.clone().map(SetOrClear::value),
            assignee: self.assignee.clone().filter(|name| !name.is_empty()),
            labels: filled(&self.labels),
            due_date: self.due.clone().and_then(SetOrClear::value),
            depends_on: all(&self.depends_on),
            criteria: filled(&self.criteria),
            parent: self.parent.clone().and_then(SetOrClear::value),
        }
    }
}

/// Arguments of `edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The task ID.
    #[arg(value_name = "ID", value_parser = IdQuery::parse)]
    pub(crate) id: IdQuery,

    /// A new title.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, value_parser = title)]
    title: Option<String>,

    /// A new description; `\n` is a newline, an empty text removes it.
    #[arg(short, long, aliases = ["desc", "body"], value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    description: Option<String>,

    /// Status: todo, in-progress, done or blocked.
    #[arg(short, long, alias = "state", value_name = "STATUS", value_parser = TaskStatus::parse)]
    status: Option<TaskStatus>,

    /// Priority: high, medium or low; an empty text removes it.
    #[arg(short, long, alias = "prio", value_name = "PRIORITY", value_parser = priority)]
    priority: Option<SetOrClear<Priority>>,

    /// The assignee; an empty name removes it.
    #[arg(short, long, aliases = ["assign", "assigned-to", "owner", "agent"], value_name = "NAME", value_parser = line)]
    assignee: Option<String>,

    /// Due date, such as 2026-12-31; an empty date removes it.
    #[arg(long, aliases = ["due-date", "deadline"], value_name = "DATE", value_parser = due_date)]
    due: Option<SetOrClear<DueDate>>,

    /// The parent task; an empty ID removes it.
    #[arg(long, aliases = ["part-of", "epic"], value_name = "ID", value_parser = id)]
    parent: Option<SetOrClear<IdQuery>>,

    #[command(flatten)]
    sections: SectionArgs,
    #[command(flatten)]
    lists: ListChangeArgs,
    #[command(flatten)]
    criteria: CriterionArgs,
}

/// Changes of plan and notes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Plan and notes (an empty text removes it)")]
struct SectionArgs {
    /// A new implementation plan; `\n` is a newline.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    plan: Option<String>,

    /// Append a paragraph to the plan; repeatable.
    #[arg(long, alias = "add-plan", value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    append_plan: Vec<String>,

    /// New implementation notes; `\n` is a newline.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    notes: Option<String>,

    /// Append a paragraph to the notes; repeatable.
    #[arg(long, aliases = ["note", "comment", "append-note", "add-note", "add-notes"], value_name = "TEXT", allow_hyphen_values = true, value_parser = text)]
    append_notes: Vec<String>,
}

/// Changes of labels and dependencies.
#[derive(Debug, Args)]
#[command(next_help_heading = "Labels and dependencies (repeatable, or separated by commas)")]
struct ListChangeArgs {
    /// Add a label.
    #[arg(long, aliases = ["label", "labels", "tag", "tags"], short_alias = 'l', value_name = "LABEL", value_delimiter = ',', value_parser = line)]
    add_label: Vec<String>,

    /// Remove a label.
    #[arg(long, aliases = ["rm-label", "delete-label", "remove-tag"], value_name = "LABEL", value_delimiter = ',', value_parser = line)]
    remove_label: Vec<String>,

    /// Add a dependency.
    #[arg(long, aliases = ["depends-on", "deps", "dep", "depends", "dependency", "dependencies", "needs", "blocked-by"], value_name = "ID", value_parser = ids)]
    add_dep: Vec<CommaSeparated<IdQuery>>,

    /// Remove a dependency.
    #[arg(long, aliases = ["rm-dep", "delete-dep", "remove-dependency"], value_name = "ID", value_parser = ids)]
    remove_dep: Vec<CommaSeparated<IdQuery>>,
}

/// Changes of the criteria.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Acceptance criteria (repeatable; numbers may be separated by commas)"
)]
struct CriterionArgs {
    /// Add a criterion.
    #[arg(long, aliases = ["ac", "acs", "criterion", "criteria", "acceptance", "acceptance-criteria"], value_name = "TEXT", allow_hyphen_values = true, value_parser = criterion)]
    add_ac: Vec<String>,

    /// Remove a criterion; the others keep their numbers.
    #[arg(long, aliases = ["rm-ac", "delete-ac"], value_name = "N", value_parser = criteria)]
    remove_ac: Vec<CommaSeparated<u32>>,

    /// Check a criterion off.
    #[arg(long, aliases = ["check", "ac-done"], value_name = "N", value_parser = criteria)]
    check_ac: Vec<CommaSeparated<u32>>,

    /// Uncheck a criterion.
    #[arg(long, alias = "uncheck", value_name = "N", value_parser = criteria)]
    uncheck_ac: Vec<CommaSeparated<u32>>,
}

impl EditArgs {
    /// The change; none if there is nothing to change.
    pub(crate) fn change(&self) -> Option<TaskEdit> {
        let Self { sections, lists, criteria, .. } = self;
        let change = TaskEdit {
            title: self.title.clone(),
            description: self.description.clone(),
            status: self.status,
            lane: None,
            priority: self.priority.clone().map(SetOrClear::value),
            assignee: self.assignee.clone(),
            due_date: self.due.clone().map(SetOrClear::value),
            plan: sections.plan.clone(),
            append_plan: filled(&sections.append_plan),
            notes: sections.notes.clone(),
            append_notes: filled(&sections.append_notes),
            add_labels: filled(&lists.add_label),
            remove_labels: filled(&lists.remove_label),
            add_dependencies: all(&lists.add_dep),
            remove_dependencies: all(&lists.remove_dep),
            add_criteria: filled(&criteria.add_ac),
            remove_criteria: all(&criteria.remove_ac),
            check: all(&criteria.check_ac),
            uncheck: all(&criteria.uncheck_ac),
            parent: self.parent.clone().map(SetOrClear::value),
        };
        (change != TaskEdit::default()).then_some(change)
    }
}

/// The texts that are not blank.
fn filled(texts: &[String]) -> Vec<String> {
    texts.iter().filter(|text| !text.trim().is_empty()).cloned().collect()
}
