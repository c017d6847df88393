//! As much of a world as the plans of tests need.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use forkhestra_core::event::Errand;
use forkhestra_core::id::UnitId;
use forkhestra_core::output_stream::OutputStream;
use forkhestra_core::plan::{FileState, Location, Surroundings, WhyNotRunnable};
use forkhestra_engine::output::{Log, Outlet};
use forkhestra_engine::{Logs, Nowhere};

/// Knows a shell and nothing else.
pub(crate) struct ThisMachine;

impl Surroundings for ThisMachine {
    fn locate(&self, program: &str) -> Location {
        match program {
            "sh" => Location::Found("/bin/sh".to_owned()),
            _ => Location::Missing(WhyNotRunnable::NotOnPath),
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

/// A directory in which everything is kept: what is shown in `screen`, what errands print in `errands`,
/// and what agents said is what somebody wrote to `said`. `hunter2` is a secret.
#[derive(Clone)]
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.0.join(name))?;
        file.write_all(bytes)
    }
}

impl Outlet for Directory {
    fn write(&self, _: OutputStream, bytes: &[u8]) -> io::Result<()> {
        self.append("screen", bytes)
    }
}

impl Logs for Directory {
    fn open(&self, _: UnitId, _: OutputStream) -> Box<dyn Log> {
        Box::new(Nowhere)
    }

    fn open_errand(&self, _: Errand, _: OutputStream) -> Box<dyn Log> {
        Box::new(self.clone())
    }

    fn recall(&self, _: UnitId, _: OutputStream) -> io::Result<Option<Box<dyn Read + Send>>> {
        Ok(Some(Box::new(Said::Unopened(self.0.join("said")))))
    }

    fn redact(&self, text: &str) -> String {
        text.replace("hunter2", "***")
    }
}

impl Log for Directory {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        Self::append(self, "errands", bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What agents said. It may be a pipe, which takes as long as somebody wants it to.
enum Said {
    Unopened(PathBuf),
    Opened(File),
}

impl Read for Said {
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
