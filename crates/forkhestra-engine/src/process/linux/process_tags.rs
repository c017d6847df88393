//! Finds processes by the tag of a run: a variable of their environment, or a mark in a resource limit.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, geteuid, getpid};

use super::marked_limit;
use super::proc_files::{ProcessStat, all_processes, status_fields};
use crate::process::run_mark::RunMark;

/// Processes of our user that [carry the tag](has_tag). Excludes this process and its ancestors.
pub(in crate::process) fn processes_tagged(name: &OsStr, value: &OsStr) -> Vec<Pid> {
    let above = own_and_ancestor_pids();
    let candidates = all_processes().into_iter().filter(|pid| !above.contains(pid));
    candidates.filter(|pid| is_tagged(*pid, name, value)).collect()
}

/// Whether a process of our user carries the tag.
pub(in crate::process) fn is_tagged(pid: Pid, name: &OsStr, value: &OsStr) -> bool {
    owner_of(pid) == Some(geteuid().as_raw()) && has_tag(pid, name, value)
}

/// Whether a process was started with this value in a variable of its environment, which may list
/// several (`NAME=value:value`), or has the mark of the run with this id.
pub(in crate::process) fn has_tag(pid: Pid, name: &OsStr, value: &OsStr) -> bool {
    has_mark(&pid.to_string(), RunMark::of(value)) || has_variable(pid, name, value)
}

/// Whether the calling process carries the tag. `/proc` may be that of another PID namespace, where
/// our own pid is the one of another process.
pub(in crate::process) fn have_tag(name: &OsStr, value: &OsStr) -> bool {
    let has_mark = marked_limit().is_some_and(|limit| RunMark::of(value).is_in(limit));
    has_mark || reads_variable("self", name, value)
}

/// The effective user of a process. `/proc` shows another owner for a process that refuses tracing.
fn owner_of(pid: Pid) -> Option<u32> {
    status_fields(pid, "Uid")?.get(1).copied()
}

/// Whether the limit of a process has the mark.
fn has_mark(pid: &str, mark: RunMark) -> bool {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
    let hard = line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok());
    // Zombies have limits, too.
    let is_alive = || ProcessStat::named(pid).is_some_and(|stat| stat.is_alive);
    hard.is_some_and(|limit| mark.is_in(limit)) && is_alive()
}

/// Whether a process was started with this value in a variable of its environment, which may list
/// several.
pub(in crate::process) fn has_variable(pid: Pid, name: &OsStr, value: &OsStr) -> bool {
    reads_variable(&pid.to_string(), name, value)
}

/// The same for a name in `/proc`: a pid or `self`.
fn reads_variable(pid: &str, name: &OsStr, value: &OsStr) -> bool {
    for _ in 0..MAX_EXEC_READS {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        if environment.split(|byte| *byte == 0).any(|entry| has_entry(entry, name, value)) {
            return true;
        }
        if !environment.is_empty()
            || !ProcessStat::named(pid).is_some_and(|stat| stat.shows_nothing_yet)
        {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Whether an entry is that of the variable and has this value in its list.
pub(super) fn has_entry(entry: &[u8], name: &OsStr, value: &OsStr) -> bool {
    let list = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
    list.is_some_and(|list| list.split(|byte| *byte == b':').any(|one| one == value.as_bytes()))
}

/// How often a process is read again during `exec`, while it has no environment.
const MAX_EXEC_READS: u32 = 50;

fn own_and_ancestor_pids() -> Vec<Pid> {
    let mut above = Vec::new();
    let mut next = Some(getpid());
    while let Some(pid) = next {
        above.push(pid);
        next = ProcessStat::of(pid).and_then(|stat| stat.parent);
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_in_a_list_only_as_a_whole() {
        let table = [
            ("IDS=b", true),
            ("IDS=a:b", true),
            ("IDS=b:c", true),
            ("IDS=a:b:c", true),
            ("IDS=", false),
            ("IDS=bb:ab:ba", false),
            ("IDSb=b", false),
            ("MY_IDS=b", false),
            ("b", false),
        ];
        for (entry, expected) in table {
            let found = has_entry(entry.as_bytes(), "IDS".as_ref(), "b".as_ref());
            assert_eq!(found, expected, "{entry}");
        }
    }
}
