//! A place for output that nobody wants.

use std::io;

use forkhestra_core::id::UnitId;
use forkhestra_core::output_stream::OutputStream;

use crate::output::{Log, Outlet};
use crate::setting::Logs;

/// Shows and keeps nothing of what agents print. Markers are found in it all the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nowhere;

impl Outlet for Nowhere {
    fn write(&self, _: OutputStream, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

impl Logs for Nowhere {
    fn open(&self, _: UnitId, _: OutputStream) -> Box<dyn Log> {
        Box::new(Self)
    }
}

impl Log for Nowhere {
    fn append(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
