//! Discards output.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;

use crate::output::{OutputLogSink, OutputSink};
use crate::ports::OutputLogs;

/// An output sink and log that discard everything. Markers are still found.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullOutput;

impl OutputSink for NullOutput {
    fn write(&self, _: OutputStream, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

impl OutputLogs for NullOutput {
    fn open(&self, _: UnitId, _: OutputStream) -> Box<dyn OutputLogSink> {
        Box::new(Self)
    }
}

impl OutputLogSink for NullOutput {
    fn append(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
