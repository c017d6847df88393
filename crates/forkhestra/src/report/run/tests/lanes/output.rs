//! Output of several agents at once.

use std::sync::Arc;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_engine::output::OutputSink;

use super::lane_script::lane;
use crate::report::run::screen::report_output::{OutputFilter, ReportOutput};
use crate::report::run::tests::streams::KeptBytes;

#[test]
fn output_of_lanes_is_shown_by_lines_behind_their_numbers() {
    let kept = KeptBytes::default();
    let filter = OutputFilter::Everything;
    let output = Arc::new(ReportOutput::new(filter, kept.side(), kept.side(), true, None));
    let sink = |number| Arc::clone(&output).of_lane(lane(number)).expect("lanes have sinks");
    let (first, second) = (sink(1), sink(2));
    first.write(OutputStream::Stdout, b"Reading the con").expect("it is written");
    second.write(OutputStream::Stdout, b"Taking one task.\nTASK-").expect("it is written");
    output.write_report("[forkhestra] Paused\n").expect("it is written");
    first.write(OutputStream::Stdout, b"ventions.\n").expect("it is written");
    output.agent_is_gone(Some(lane(2))).expect("it is written");
    assert_eq!(
        kept.text(),
        "2 \u{2502} Taking one task.\n[forkhestra] Paused\n1 \u{2502} Reading the conventions.\n\
         2 \u{2502} TASK-\n"
    );
}
