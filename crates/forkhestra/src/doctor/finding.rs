//! Findings of `doctor`.

/// One result of an examination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoctorFinding {
    pub(crate) subject: FindingSubject,
    pub(crate) status: FindingStatus,
    /// The fact, as a sentence without a full stop.
    pub(crate) what: String,
    /// How to solve the problem.
    pub(crate) remedy: Option<String>,
}

/// Severity of a finding, worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FindingStatus {
    Ok,
    /// Worth knowing.
    Note,
    /// Something may not work as expected.
    Warning,
    /// Something required does not work.
    Broken,
}

/// The subject of a finding, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FindingSubject {
    /// The programs of this package.
    Programs,
    /// The supported agent programs.
    Agents,
    /// Agents that were started by `--probe`.
    Probe,
    Git,
    /// The sandboxes of agents and checks.
    Sandbox,
    /// The state directory, and the runs of this work tree.
    State,
    Config,
}

impl FindingStatus {
    /// The word for this status in lists and in JSON.
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
    /// The word for this subject in JSON.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Programs => "programs",
            Self::Agents => "agents",
            Self::Probe => "probe",
            Self::Git => "git",
            Self::Sandbox => "sandbox",
            Self::State => "state",
            Self::Config => "config",
        }
    }

    /// The heading of this subject.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Programs => "Programs",
            Self::Agents => "Agents",
            Self::Probe => "Agents that were started",
            Self::Git => "Git",
            Self::Sandbox => "Sandbox",
            Self::State => "Runs",
            Self::Config => "Config",
        }
    }

    /// A finding without a problem.
    pub(crate) fn ok(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Ok, what)
    }

    /// A finding that is worth knowing.
    pub(crate) fn note(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Note, what)
    }

    /// A finding about something that may not work as expected.
    pub(crate) fn warning(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Warning, what)
    }

    /// A finding about something required that does not work.
    pub(crate) fn broken(self, what: impl Into<String>) -> DoctorFinding {
        self.finding(FindingStatus::Broken, what)
    }

    fn finding(self, status: FindingStatus, what: impl Into<String>) -> DoctorFinding {
        DoctorFinding { subject: self, status, what: what.into(), remedy: None }
    }
}

impl DoctorFinding {
    /// Adds a remedy.
    #[must_use]
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// Adds a remedy, if there is one.
    #[must_use]
    pub(crate) fn maybe_remedy(self, remedy: Option<String>) -> Self {
        Self { remedy, ..self }
    }
}

/// The format that tests compare.
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
