//! The CPU time of running processes.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use devkit::error::Result;
use devkit::files;

/// The CPU time that all threads of a process have used so far.
pub(crate) fn of_process(pid: u32) -> Result<Duration> {
    let tasks = PathBuf::from(format!("/proc/{pid}/task"));
    let mut nanoseconds = 0;
    for task in fs::read_dir(&tasks).map_err(files::failing("read", &tasks))?.flatten() {
        let path = task.path().join("schedstat");
        let text = fs::read_to_string(&path).map_err(files::failing("read", &path))?;
        let used = text.split_whitespace().next().and_then(|number| number.parse().ok());
        nanoseconds += used.unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// The same for a process and all its descendants.
pub(crate) fn of_family(pid: u32) -> Result<Duration> {
    let mut total = of_process(pid)?;
    let children = PathBuf::from(format!("/proc/{pid}/task/{pid}/children"));
    let text = fs::read_to_string(&children).map_err(files::failing("read", &children))?;
    for child in text.split_whitespace().filter_map(|child| child.parse().ok()) {
        total += of_family(child)?;
    }
    Ok(total)
}
