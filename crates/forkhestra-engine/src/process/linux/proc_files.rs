//! Reads files of `/proc`.

use std::fs;
use std::time::Duration;

use rustix::process::Pid;

/// The fields of `/proc/<pid>/stat` that are used here.
#[derive(Debug, PartialEq)]
pub(super) struct ProcessStat {
    pub(super) parent: Option<Pid>,
    pub(super) ticks: u64,
    /// The time of its start, in ticks since the start of the system.
    pub(super) start: u64,
    /// Whether it is no zombie. A process whose first thread has ended lives as long as the others.
    pub(super) is_alive: bool,
    /// Whether it is alive but has no memory for its environment yet.
    pub(super) shows_nothing_yet: bool,
}

/// The flag of kernel threads, which never have an environment.
const KERNEL_THREAD: u64 = 0x0020_0000;

impl ProcessStat {
    pub(super) fn of(pid: Pid) -> Option<Self> {
        Self::named(&pid.to_string())
    }

    /// The same for a name in `/proc`: a pid or `self`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{name}/stat")).ok()?)
    }

    /// Parses the line. The program's name is in parentheses and may itself contain parentheses.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(&line[name_end + 1..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let parent: i32 = fields.get(1)?.parse().ok()?;
        // User and system time, of the process and of the children it waited for.
        let ticks = (11..15).try_fold(0_u64, |sum, at| sum.checked_add(number(at)?))?;
        let start = number(19)?;
        let lives = !matches!(fields.first()?, &"Z" | &"X");
        let is_alive = lives || number(17)? > 1;
        let is_of_the_kernel = number(6)? & KERNEL_THREAD != 0;
        let shows_nothing_yet = lives && !is_of_the_kernel && number(48) == Some(0);
        let parent = Pid::from_raw(parent.max(0));
        Some(Self { parent, ticks, start, is_alive, shows_nothing_yet })
    }
}

/// The numbers in a line of `/proc/<pid>/status`.
pub(super) fn status_fields(pid: Pid, name: &str) -> Option<Vec<u32>> {
    let status = fs::read(format!("/proc/{pid}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().map(|number| number.parse().ok()).collect()
}

/// The children of all threads of a process; none if it is gone.
pub(super) fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    lists.flatten().flat_map(|list| parse_pids(&list)).collect()
}

pub(super) fn parse_pids(list: &str) -> Vec<Pid> {
    list.split_ascii_whitespace().filter_map(pid_from).collect()
}

pub(super) fn pid_from(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)
}

pub(super) fn all_processes() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| pid_from(entry.file_name().to_str()?)).collect()
}

/// The second field of `/proc/<pid>/schedstat`, in nanoseconds.
pub(super) fn parse_processor_wait(line: &str) -> Option<Duration> {
    line.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use rustix::process::getpid;

    use super::*;

    #[test]
    fn the_name_of_a_program_may_contain_anything() {
        let rest = "S 17 1 1 0 -1 4194304 102 0 0 0 1 20 300 4000 20 0 1 0 835836";
        for name in ["cat", "a b", "a) R 1 (x", ")"] {
            let stat = ProcessStat::parse(format!("42 ({name}) {rest}\n").as_bytes());
            let stat = stat.map(|stat| (stat.parent, stat.ticks));
            assert_eq!(stat, Some((Pid::from_raw(17), 4321)), "{name}");
        }
        assert_eq!(ProcessStat::parse(b"42 (cat) S"), None);
        assert_eq!(ProcessStat::parse(b""), None);
    }

    #[test]
    fn only_a_process_during_exec_has_no_environment() {
        let line = |state: &str, flags: u64, environment: u64| {
            let zeroes = |count| " 0".repeat(count);
            format!("1 (x) {state} 1{}", zeroes(4))
                + &format!(" {flags}{}", zeroes(41))
                + &format!(" {environment} 0")
        };
        let table = [
            ("S", 0, 0, true),
            ("S", 0, 4096, false),
            ("Z", 0, 0, false),
            ("I", KERNEL_THREAD, 0, false),
        ];
        for (state, flags, environment, expected) in table {
            let stat = ProcessStat::parse(line(state, flags, environment).as_bytes());
            assert_eq!(stat.map(|stat| stat.shows_nothing_yet), Some(expected), "{state} {flags}");
        }
        assert_eq!(ProcessStat::of(getpid()).map(|stat| stat.shows_nothing_yet), Some(false));
    }

    #[test]
    fn the_wait_for_a_processor_is_the_second_field() {
        let wait = Some(Duration::from_nanos(571_093_027));
        assert_eq!(parse_processor_wait("305139534 571093027 78\n"), wait);
        assert_eq!(parse_processor_wait("305139534"), None);
        assert_eq!(parse_processor_wait("1 -2 3"), None);
    }
}
