//! The interface to tasks that agents finish in lanes.

/// A task that an agent set to Done in a lane and that has not landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingTask {
    pub id: String,
    pub title: String,
}

/// Tasks that agents finish in lanes. A holder names a lane of a run, as in the leases of its tasks.
pub trait LaneTasks: Send + Sync {
    /// The tasks of a lane that are Done there and have not landed.
    fn landing(&self, holder: &str) -> Vec<LandingTask>;

    /// Notes that tasks have landed, so that they are Done for everyone. The error names what could not
    /// be written.
    fn landed(&self, holder: &str, tasks: &[String]) -> Result<(), String>;

    /// Blocks the tasks of a lane whose work is parked.
    fn block(&self, holder: &str, why: &str) -> Result<(), String>;
}

/// A [`LaneTasks`] for runs without tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLaneTasks;

impl LaneTasks for NoLaneTasks {
    fn landing(&self, _: &str) -> Vec<LandingTask> {
        Vec::new()
    }

    fn landed(&self, _: &str, _: &[String]) -> Result<(), String> {
        Ok(())
    }

    fn block(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}
