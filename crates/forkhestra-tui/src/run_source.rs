//! What the screens ask of the world. The program implements it with files and sockets, tests with
//! made-up runs.

use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::cost::Spend;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{CommitSummary, Event};
use forkhestra_core::history::{ExecutionStatus, Liveness};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

/// Which runs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunScope {
    /// Those of this work tree.
    Here,
    /// Those of every project.
    Everywhere,
}

/// Everything there is to watch. Nothing in here changes anything but by asking a run.
pub trait RunSource: Send + Sync {
    /// The calendar.
    fn now(&self) -> Timestamp;

    /// The runs there are, the newest first. An error says in one line why nobody can tell.
    fn runs(&self, scope: RunScope) -> Result<Vec<RunListItem>, String>;

    /// Begins to read a run, live or finished.
    fn open(&self, run: &RunId) -> Result<Box<dyn RunFeed>, String>;

    /// Asks something of a run, and waits for its answer, but not for long. An error says in one line
    /// why there is none.
    fn send_request(&self, run: &RunId, request: ControlRequest) -> Result<ControlReply, String>;

    /// Resumes a run in the background, and returns when it has begun. An error says why it did not, in
    /// as many lines as it takes.
    fn resume(&self, run: &RunId) -> Result<(), String>;
}

/// One line of a list of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunListItem {
    /// Its id.
    pub run: RunId,
    /// What it runs: a chain's name, or its definition.
    pub chain: String,
    /// Where.
    pub directory: String,
    /// What has become of it.
    pub status: ExecutionStatus,
    /// What is to be known before that, if anything is.
    pub standing: Option<RunCondition>,
    /// When it began.
    pub started: Timestamp,
    /// When something last happened.
    pub updated: Timestamp,
    /// How many iterations have an outcome.
    pub iterations: u32,
    /// The step at work or last at work, from one, and how many there are.
    pub step: (usize, usize),
    /// What it has spent; none if nobody can tell.
    pub spend: Option<Spend>,
}

/// What is said of a run instead of its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunCondition {
    /// It goes on, but stands still.
    Paused,
    /// It ends after the iteration at work.
    Stopping,
    /// It waits for the provider of its agent, or after a crash.
    Waiting,
    /// It was stopped on request.
    Stopped,
    /// It ended because no task could be claimed.
    Incomplete,
    /// Nobody knows what has become of it, for this reason, in one word.
    Unknown(&'static str),
}

/// Reads one run as it goes on. Nothing is locked or changed by it.
pub trait RunFeed: Send {
    /// Whether somebody is at work on it. To be asked before `events`: whoever is gone by then has
    /// written everything.
    fn liveness(&mut self) -> Liveness;

    /// What has happened since the last time, oldest first, but no more than so many; fewer only if
    /// there is no more by now.
    fn events(&mut self, at_most: usize) -> Result<Vec<Event>, String>;

    /// Whether another journal stands in the place of the one that is read, so that it has to be opened
    /// again: somebody repaired it.
    fn is_replaced(&mut self) -> bool;

    /// Begins to read what an agent printed, from its beginning on.
    fn output(
        &mut self,
        unit: UnitId,
        form: OutputRendering,
    ) -> Result<Box<dyn OutputFeed>, String>;

    /// The command that goes on with the run, as far as it was read; none if it cannot go on.
    fn resume_command(&mut self) -> Option<String>;

    /// The task database of the run's project; none if there is none, or nobody knows yet.
    fn tasks(&mut self) -> Option<Result<TaskBoard, String>>;

    /// One task in full; none if it does not exist any more.
    fn task(&mut self, id: &str) -> Result<Option<TaskDetails>, String>;

    /// What a finished iteration changed in the repository; none without a repository, or before the
    /// iteration is finished.
    fn changes(&mut self, unit: UnitId) -> Option<Result<IterationChanges, String>>;

    /// The last message of an agent; for a program that is not understood, its last lines. None if there
    /// is none.
    fn last_message(&mut self, unit: UnitId) -> Result<Option<String>, String>;
}

/// How output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputRendering {
    /// In words.
    Rendered,
    /// As it came.
    Raw,
}

/// Reads what one agent prints as it goes on.
pub trait OutputFeed: Send {
    /// What was printed since the last time, about so many bytes of it at most.
    fn read(&mut self, at_most: usize) -> Result<OutputPortion, String>;

    /// What was held back, when the agent is gone and everything was read.
    fn finish(&mut self) -> Vec<FeedChunk>;
}

/// What was read at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputPortion {
    /// What there is to be shown of it, which may be nothing.
    pub chunks: Vec<FeedChunk>,
    /// Whether there is more to read already.
    pub has_more: bool,
}

/// A piece of what an agent printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedChunk {
    /// Where.
    pub stream: OutputStream,
    /// The bytes, which may hold anything and be cut anywhere. They are made harmless before they are
    /// shown.
    pub bytes: Vec<u8>,
    /// How many bytes in front of it were not kept.
    pub missing: u64,
}

/// The tasks of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskBoard {
    /// In the order of the database.
    pub tasks: Vec<TaskCard>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCard {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its status, as the database has it: `To Do`, `In Progress`, `Done`, `Blocked`.
    pub status: String,
    /// Its assignee, if it has one.
    pub assignee: Option<String>,
    /// Whether an agent of the run that is shown has claimed it.
    pub is_of_run: bool,
    /// The dependencies that are not done.
    pub waits_for: Vec<String>,
}

/// Everything about one task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskDetails {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Its priority, if it has one.
    pub priority: Option<String>,
    /// Its assignee, if it has one.
    pub assignee: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// The task that it is a part of.
    pub parent: Option<String>,
    /// What it depends on: the id, and the status and title if the task exists.
    pub dependencies: Vec<(String, Option<(String, String)>)>,
    /// The description.
    pub description: Option<String>,
    /// The implementation plan.
    pub plan: Option<String>,
    /// The notes.
    pub notes: Option<String>,
    /// The acceptance criteria, and whether each is checked.
    pub criteria: Vec<(String, bool)>,
    /// The file.
    pub file: String,
}

/// What an iteration changed in the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IterationChanges {
    /// The commits, the oldest first.
    pub commits: Vec<CommitSummary>,
    /// How many commits come before these.
    pub more_commits: u32,
    /// The files that are not what they were before.
    pub files: Vec<ChangedFile>,
    /// How many files there are beside these.
    pub more_files: u32,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path, relative to the top of the repository.
    pub path: String,
    /// Lines that were added and removed; none for a binary file.
    pub lines: Option<(u32, u32)>,
}
