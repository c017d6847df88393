//! The interface to tasks that agents finish in lanes.

use std::path::PathBuf;

/// A task that an agent set to Done in a lane and that has not landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingTask {
    pub id: String,
    pub title: String,
}

/// The file of a task as it is once the task has landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandedTaskFile {
    pub path: PathBuf,
    pub content: Vec<u8>,
}

/// Tasks that agents finish in lanes. A holder names a lane of a run, as in the leases of its tasks. Errors
/// name what could not be read or written.
pub trait LaneTasks: Send + Sync {
    /// The tasks of a lane that are Done there and have not landed.
    fn landing(&self, holder: &str) -> Result<Vec<LandingTask>, String>;

    /// The files of tasks that are about to land. A task that is not there any more has none.
    fn files(&self, holder: &str, tasks: &[String]) -> Result<Vec<LandedTaskFile>, String>;

    /// Notes that tasks have landed, so that they are Done for everyone.
    fn landed(&self, holder: &str, tasks: &[String]) -> Result<(), String>;

    /// Gives tasks whose work was refused back to their lane.
    fn send_back(&self, holder: &str, tasks: &[String]) -> Result<(), String>;

    /// Blocks these tasks of a lane whose work is parked, and those that it has in progress.
    fn block(&self, holder: &str, tasks: &[String], why: &str) -> Result<(), String>;
}

/// A [`LaneTasks`] for runs without tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLaneTasks;

impl LaneTasks for NoLaneTasks {
    fn landing(&self, _: &str) -> Result<Vec<LandingTask>, String> {
        Ok(Vec::new())
    }

    fn files(&self, _: &str, _: &[String]) -> Result<Vec<LandedTaskFile>, String> {
        Ok(Vec::new())
    }

    fn landed(&self, _: &str, _: &[String]) -> Result<(), String> {
        Ok(())
    }

    fn send_back(&self, _: &str, _: &[String]) -> Result<(), String> {
        Ok(())
    }

    fn block(&self, _: &str, _: &[String], _: &str) -> Result<(), String> {
        Ok(())
    }
}
