//! One thing that a doctor has to say.

/// One thing that was looked at, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoctorFinding {
    pub(crate) subject: FindingSubject,
    pub(crate) status: FindingStatus,
    /// What is so, in a sentence without a full stop.
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) remedy: Option<String>,
}

/// How good or bad something is, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FindingStatus {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Something may not work as expected.
    Warning,
    /// Something needed does not work.
    Broken,
}

/// What a finding is about, in the order in which they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FindingSubject {
    /// forkhestra's own programs.
    Programs,
    /// The agent programs that we know.
    Agents,
    /// Agents that were really started.
    Probe,
    Git,
    /// Where runs are kept, and those of this work tree.
    State,
    Config,
    /// The task database.
    Tasks,
    /// What models cost.
    Prices,
}

impl FindingStatus {
    /// Its word, in lists and in JSON.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Broken => "broken",
        }
    }
}

impl FindingSubject {
    /// Its word in JSON.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Programs => "programs",
            Self::Agents => "agents",
            Self::Probe => "probe",
            Self::Git => "git",
            Self::State => "state",
            Self::Config => "config",
            Self::Tasks => "tasks",
            Self::Prices => "prices",
        }
    }

    /// A heading for it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Programs => "Programs",
            Self::Agents => "Agents",
            Self::Probe => "Agents that were started",
            Self::Git => "Git",
            Self::State => "Runs",
            Self::Config => "Config",
            Self::Tasks => "Tasks",
            Self::Prices => "Prices",
        }
    }

    /// Something about it that is as it should be.
    pub(crate) fn ok(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Ok, what)
    }

    /// Something about it that is worth knowing.
    pub(crate) fn note(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Note, what)
    }

    /// Something about it that may not work as expected.
    pub(crate) fn warning(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Warning, what)
    }

    /// Something about it that is needed and does not work.
    pub(crate) fn broken(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Broken, what)
    }

    fn finding(self, status: FindingStatus, what: impl Into<String>) -> DoctorFinding {
        DoctorFinding { subject: self, status, what: what.into(), remedy: None }
    }
}

impl DoctorFinding {
    /// Says what to do.
    #[must_use]
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// Says what to do, if anything can be done.
    #[must_use]
    pub(crate) fn maybe_remedy(self, remedy: Option<String>) -> Self {
        Self { remedy, ..self }
    }
}

/// As tests compare it.
#[cfg(test)]
impl std::fmt::Display for DoctorFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.status.word(), self.what)?;
        match &self.remedy {
            Some(remedy) => write!(f, " [{remedy}]"),
            None => Ok(()),
        }
    }
}
