//! The agents' own record of their actions.

use super::journal::{JournalUnit, ProofJournal};

/// The notes of all agents of a project, in order.
#[derive(Debug, Default)]
pub(crate) struct Notes(pub(crate) Vec<AgentNote>);

/// One note of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentNote {
    pub(crate) moment: NoteMoment,
    pub(crate) step: u64,
    pub(crate) iteration: u64,
    pub(crate) run: String,
    pub(crate) pid: u64,
}

/// When a note was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoteMoment {
    /// At the start of the agent.
    Start,
    /// Right before its exit.
    End,
}

impl Notes {
    /// Parses lines of the form `start STEP ITERATION RUN PID`. A killed agent may lack its last
    /// line, but never leaves half a line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let notes = text.lines().map(|line| note(line).ok_or_else(|| format!("no note: {line:?}")));
        notes.collect::<Result<_, _>>().map(Self)
    }

    /// The agents that were started for a run.
    pub(crate) fn starts<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a AgentNote> {
        self.of(run, NoteMoment::Start)
    }

    /// The agents that reached their end.
    pub(crate) fn ends<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a AgentNote> {
        self.of(run, NoteMoment::End)
    }

    /// Differences between a journal and the agents of its run about what was started.
    pub(crate) fn disagreements(&self, journal: &ProofJournal) -> Vec<String> {
        let run = journal.run().unwrap_or_default();
        let started = journal.started();
        let agents = journal.agents();
        let mut found = Vec::new();
        let mut counted: Vec<(u64, u64)> = Vec::new();
        for note in self.starts(run) {
            let place = (note.step, note.iteration);
            counted.push(place);
            let noted = counted.iter().filter(|other| **other == place).count();
            let recorded = started.iter().filter(|unit| unit.step_and_iteration() == place).count();
            if noted > recorded {
                found.push(format!(
                    "an agent says that it was started for step {} iteration {} (process {}), but \
                     the journal has only {recorded} tries of it",
                    note.step, note.iteration, note.pid
                ));
            }
        }
        for note in self.starts(run) {
            // A process id may have been used twice.
            let recorded: Vec<&JournalUnit> =
                agents.iter().filter(|(_, pid)| *pid == note.pid).map(|(unit, _)| unit).collect();
            let place = (note.step, note.iteration);
            if !recorded.is_empty()
                && recorded.iter().all(|unit| unit.step_and_iteration() != place)
            {
                found.push(format!(
                    "process {} says that it worked for step {} iteration {}, but the journal has \
                     it as {}",
                    note.pid, note.step, note.iteration, recorded[0]
                ));
            }
        }
        found
    }

    fn of<'a>(&'a self, run: &'a str, moment: NoteMoment) -> impl Iterator<Item = &'a AgentNote> {
        self.0.iter().filter(move |note| note.moment == moment && note.run == run)
    }
}

fn note(line: &str) -> Option<AgentNote> {
    let [moment, step, iteration, run, pid] =
        line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let moment = match moment {
        "start" => NoteMoment::Start,
        "end" => NoteMoment::End,
        _ => return None,
    };
    let (step, iteration) = (step.parse().ok()?, iteration.parse().ok()?);
    Some(AgentNote { moment, step, iteration, run: run.to_owned(), pid: pid.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOURNAL: &str = r#"{"seq":0,"event":"run_started","run":"abc"}
{"seq":1,"event":"iteration_started","unit":{"step":1,"iteration":1,"attempt":1}}
{"seq":2,"event":"agent_started","unit":{"step":1,"iteration":1,"attempt":1},"pid":7}
"#;

    fn disagreements(notes: &str) -> Vec<String> {
        let journal = ProofJournal::parse(JOURNAL.as_bytes()).expect("it is one");
        Notes::parse(notes).expect("they are some").disagreements(&journal)
    }

    #[test]
    fn an_unrecorded_agent_is_found() {
        assert_eq!(disagreements("start 1 1 abc 7\nend 1 1 abc 7\n"), [""; 0]);
        assert_eq!(disagreements("start 1 1 another 9\n"), [""; 0]);
        assert_eq!(disagreements("start 1 1 abc 7\nstart 1 1 abc 8\n").len(), 1, "twice");
        assert_eq!(disagreements("start 1 2 abc 8\n").len(), 1, "another iteration");
    }

    #[test]
    fn an_agent_with_another_iteration_number_is_found() {
        let found = disagreements("start 1 2 abc 7\n");
        assert!(found.iter().any(|what| what.contains("has it as 1.1.1")), "{found:?}");
    }

    #[test]
    fn half_a_note_is_none() {
        assert!(Notes::parse("start 1 1 abc 7\nsta").is_err());
        assert!(Notes::parse("start 1 1 abc").is_err());
    }
}
