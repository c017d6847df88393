//! The context of every verb.

use jiff::Timestamp;

use crate::actions::{ActionOutcome, LeaseCheck};
use crate::cli::args::{GlobalArgs, TasksOutputFormat};
use crate::cli::cli_inputs::CliInputs;
use crate::cli::commands::list::ListContext;
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::cli::tasks_console::TasksConsole;
use crate::cli::tasks_directory::TasksDirectory;
use crate::database::{BrokenFile, Database, DirectoryListing, StoredFile, TaskDirectory};
use crate::document::{FrontMatter, Task, TaskDocument};

/// The exit code of a verb, or its error.
pub(crate) type CommandResult = Result<u8, TasksCliError>;

/// The context of every verb.
pub(crate) struct CommandContext<'a> {
    pub(crate) inputs: &'a CliInputs<'a>,
    pub(crate) global: &'a GlobalArgs,
    pub(crate) console: TasksConsole<'a>,
}

impl CommandContext<'_> {
    /// The output format.
    pub(crate) fn format(&self) -> TasksOutputFormat {
        self.global.format()
    }

    /// The current time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.inputs.clock)()
    }

    /// The check of leases at this time.
    pub(crate) fn leases(&self) -> LeaseCheck<'_> {
        LeaseCheck { runs: self.inputs.runs, now: self.now() }
    }

    /// The directory of the tasks.
    pub(crate) fn place(&self) -> TasksDirectory {
        TasksDirectory::find(self.global.dir.as_deref(), self.inputs)
    }

    /// Prints for people that there is no database, and how to create one.
    pub(crate) fn note_missing_database(&mut self, place: &TasksDirectory) {
        if self.format() == TasksOutputFormat::Human {
            self.console.note(&place.nothing_here());
        }
    }

    /// The answer of a list without a database: for people a note, for programs an empty value.
    pub(crate) fn answer_without_database(
        &mut self,
        place: &TasksDirectory,
        empty_json: &str,
    ) -> CommandResult {
        self.note_missing_database(place);
        if self.format() == TasksOutputFormat::Json {
            return self.answer(empty_json);
        }
        Ok(exit_code::DONE)
    }

    /// The time and the width for lists.
    pub(crate) fn showing(&self) -> ListContext {
        ListContext { now: self.now(), columns: self.console.features.columns }
    }

    /// Prints the result and returns success.
    pub(crate) fn answer(&mut self, text: &str) -> CommandResult {
        match self.format() {
            TasksOutputFormat::Human => self.console.print(text)?,
            TasksOutputFormat::Plain | TasksOutputFormat::Json => self.console.print_data(text)?,
        }
        Ok(exit_code::DONE)
    }

    /// Prints the result of an action, as in `TASK-001 was created`. If printing fails, the error
    /// states that the action was done.
    pub(crate) fn answer_after(&mut self, action: &str, text: &str) -> CommandResult {
        self.answer(text).map_err(|error| error.after(action))
    }

    /// Prints the warnings of an action.
    pub(crate) fn warn_of(&mut self, done: &ActionOutcome) {
        self.console.warn(&done.warnings);
    }

    /// Warns of unreadable files and odd values.
    pub(crate) fn warn_about<T>(
        &mut self,
        listing: &DirectoryListing<T>,
        front: impl Fn(&T) -> &FrontMatter,
        files: &FileNaming<'_>,
    ) {
        self.warn_about_files(&listing.broken, files);
        let mut warnings: Vec<String> = Vec::new();
        for task in &listing.tasks {
            warnings.extend(front_warnings(files, task, front(&task.content)));
        }
        self.console.warn(&warnings);
    }

    /// Warns of unreadable files.
    pub(crate) fn warn_about_files(&mut self, broken: &[BrokenFile], files: &FileNaming<'_>) {
        let named = broken
            .iter()
            .map(|broken| format!("{} {}", files.name(broken.directory, &broken.file), broken.why));
        let warnings: Vec<String> = named.collect();
        self.console.warn(&warnings);
    }

    /// Warns of odd values in a task.
    pub(crate) fn warn_about_task(&mut self, task: &StoredFile<Task>, files: &FileNaming<'_>) {
        let warnings: Vec<String> = front_warnings(files, task, &task.content.front).collect();
        self.console.warn(&warnings);
    }
}

/// The names of files in messages.
pub(crate) struct FileNaming<'a> {
    pub(crate) place: &'a TasksDirectory,
    pub(crate) database: &'a Database,
}

impl FileNaming<'_> {
    /// A file of the database.
    pub(crate) fn name(&self, directory: TaskDirectory, file: &str) -> String {
        self.place.file(self.database.path(), directory, file)
    }

    /// The file of a task.
    pub(crate) fn of<T>(&self, task: &StoredFile<T>) -> String {
        self.name(task.directory, &task.file)
    }
}

fn front_warnings<'a, T>(
    files: &'a FileNaming<'_>,
    task: &'a StoredFile<T>,
    front: &'a FrontMatter,
) -> impl Iterator<Item = String> + 'a {
    front.warnings.iter().map(|warning| format!("{}: {warning}", files.of(task)))
}

/// Reads whole tasks. A file that is not a task is broken.
pub(crate) fn tasks(documents: DirectoryListing<TaskDocument>) -> DirectoryListing<Task> {
    let DirectoryListing { tasks, mut broken } = documents;
    let mut read = Vec::with_capacity(tasks.len());
    for document in tasks {
        match Task::read(&document.content) {
            Ok(task) => read.push(document.with(task)),
            Err(why) => {
                let StoredFile { directory, file, .. } = document;
                broken.push(BrokenFile { directory, file, why: why.into() });
            }
        }
    }
    DirectoryListing { tasks: read, broken }
}
