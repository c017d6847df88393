//! The output of one lane.

use std::io;
use std::sync::Arc;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::LaneNumber;
use forkhestra_engine::agent::stream::agent_event::AgentEvent;
use forkhestra_engine::now;
use forkhestra_engine::output::OutputSink;

use super::report_output::ReportOutput;

/// Shows the output of the agents of one lane by lines, each behind the number of the lane.
pub(super) struct LaneOutput {
    pub(super) output: Arc<ReportOutput>,
    pub(super) lane: LaneNumber,
}

impl OutputSink for LaneOutput {
    fn write(&self, stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        self.output.write_in_lane(self.lane, stream, bytes, now().wall)
    }

    fn write_event(&self, event: &AgentEvent<'_>) -> io::Result<()> {
        self.output.show_in_lane(self.lane, event, now().wall)
    }
}
