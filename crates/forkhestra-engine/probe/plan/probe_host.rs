//! The host environment and storage for the plans of tests.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use forkhestra_core::event::AuxJob;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{FileState, HostEnvironment, NotRunnableReason, ProgramLocation};
use forkhestra_engine::output::{OutputLogSink, OutputSink};
use forkhestra_engine::{NullOutput, OutputLogs};

/// A host that has a shell and nothing else.
pub(crate) struct ProbeHost;

impl HostEnvironment for ProbeHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        match program {
            "sh" => ProgramLocation::Found("/bin/sh".to_owned()),
            _ => ProgramLocation::Missing(NotRunnableReason::NotOnPath),
        }
    }

    fn file(&self, _: &str) -> FileState {
        FileState::Missing
    }

    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Missing
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// A directory for all output: displayed output goes to `screen`, output of aux jobs to `errands`,
/// and the agents' stored output is read from `said`. `hunter2` is a secret.
#[derive(Clone)]
pub(crate) struct ProbeDirectory(pub(crate) PathBuf);

impl ProbeDirectory {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.0.join(name))?;
        file.write_all(bytes)
    }
}

impl OutputSink for ProbeDirectory {
    fn write(&self, _: OutputStream, bytes: &[u8]) -> io::Result<()> {
        self.append("screen", bytes)
    }
}

impl OutputLogs for ProbeDirectory {
    fn open(&self, _: UnitId, _: OutputStream) -> Box<dyn OutputLogSink> {
        Box::new(NullOutput)
    }

    fn open_aux_job(&self, _: AuxJob, _: OutputStream) -> Box<dyn OutputLogSink> {
        Box::new(self.clone())
    }

    fn read_output(&self, _: UnitId, _: OutputStream) -> io::Result<Option<Box<dyn Read + Send>>> {
        Ok(Some(Box::new(ProbeAgentText::Unopened(self.0.join("said")))))
    }

    fn redact(&self, text: &str) -> String {
        text.replace("hunter2", "***")
    }
}

impl OutputLogSink for ProbeDirectory {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        Self::append(self, "errands", bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The agents' stored output. It may be a named pipe, which a test can keep open.
enum ProbeAgentText {
    Unopened(PathBuf),
    Opened(File),
}

impl Read for ProbeAgentText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Opened(file) => file.read(buffer),
            Self::Unopened(path) => {
                *self = Self::Opened(File::open(path)?);
                self.read(buffer)
            }
        }
    }
}
