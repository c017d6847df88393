//! The cost of parsing an agent's stream.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use devkit::error::Result;
use devkit::files;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ROUNDS: usize = 7;
const MEGABYTES: usize = 200;

/// 200 megabytes a second on one core.
const MAX_SECONDS: f64 = 1.0;
const MAX_MEBIBYTES: f64 = 12.0;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("stream-probe")?;
    let directory = BenchDir::new()?;
    let path = directory.file("stream");
    write(&path).map_err(files::failing("write", &path))?;
    let (mut times, mut peak_memory) = (Vec::new(), 0);
    for _ in 0..ROUNDS {
        let agent = ExpectedCommand(directory.command("cat", &["stream"]), 0);
        let usage = resource_usage::of_pipeline([
            agent,
            ExpectedCommand(directory.command(program, &[]), 0),
        ])?;
        times.push(usage.cpu);
        peak_memory = peak_memory.max(usage.peak_memory);
    }
    let work = format!("{MEGABYTES} MB of a stream with partial messages");
    let figure = |what, value, most, unit| Figure {
        work: work.clone(),
        what,
        value,
        limit: FigureLimit::AtMost(most),
        unit,
    };
    Ok(vec![
        figure("CPU time", median(times).as_secs_f64(), MAX_SECONDS, FigureUnit::Seconds),
        figure(
            "peak memory",
            resource_usage::mebibytes(peak_memory),
            MAX_MEBIBYTES,
            FigureUnit::Mebibytes,
        ),
    ])
}

/// Writes megabytes of messages, the last of which claims completion.
fn write(path: &Path) -> io::Result<()> {
    let block: String = (0..40).map(answer).collect();
    let mut file = File::create(path)?;
    let mut written = 0;
    while written < MEGABYTES * 1_000_000 {
        file.write_all(block.as_bytes())?;
        written += block.len();
    }
    file.write_all(LAST_ANSWER.as_bytes())?;
    file.write_all(RESULT.as_bytes())
}

/// It calls no tool, so it is the last message.
const LAST_ANSWER: &str = concat!(
    r#"{"type":"assistant","message":{"id":"msg_last","model":"claude-sonnet-5-5","content":"#,
    r#"[{"type":"text","text":"Done.\nFORKHESTRA_COMPLETE"}]}}"#,
    "\n"
);

/// The last line of a stream of Claude Code.
pub(crate) const RESULT: &str = concat!(
    r#"{"stop_reason":"end_turn","total_cost_usd":1.25,"modelUsage":{},"permission_denials":[],"#,
    r#""is_error":false,"subtype":"success","result":"done","type":"result"}"#,
    "\n"
);

/// A message in the format of Claude Code: in pieces, whole, and with the result of a tool before
/// it.
fn answer(number: usize) -> String {
    let ids = format!(
        r#""session_id":"782ad446-0454-4399-9e64-5d5cbd43737e","parent_tool_use_id":null,"uuid":"8121410e-9c2f-4e18-a3fb-3a2ffef9{number:04}""#
    );
    let message = format!(
        r#""id":"msg_a8e19f580cbb44f38af2{number:04}","type":"message","role":"assistant","model":"claude-sonnet-5-5""#
    );
    let usage = r#""usage":{"input_tokens":1200,"cache_creation_input_tokens":800,"cache_read_input_tokens":5000,"output_tokens":1,"service_tier":"standard"}"#;
    let event = |event: &str| format!("{{\"type\":\"stream_event\",\"event\":{event},{ids}}}\n");
    let delta = |index: usize, delta: &str| {
        event(&format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#))
    };
    let whole = |block: &str| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{{message},\"content\":[{block}],{usage}}},{ids}}}\n"
        )
    };
    let printed = r"test tests::a_name_that_is_a_sentence ... ok\n".repeat(50);
    let call = r#"{"type":"tool_use","id":"toolu_5d400d36","name":"Bash","input":{"command":"cargo test --workspace","description":"Run the tests"}}"#;
    let text =
        format!(r"{}\n`cargo test` says ok\n", r"I will write the file, then look.\n".repeat(60));

    let mut lines = format!("{{\"type\":\"system\",\"subtype\":\"status\",{ids}}}\n");
    lines += &format!(
        "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_5d400d36\",\"content\":\"{printed}\"}}]}},{ids},\"tool_use_result\":{{\"stdout\":\"{printed}\"}}}}\n"
    );
    lines += &event(&format!(
        r#"{{"type":"message_start","message":{{{message},"content":[],{usage}}}}}"#
    ));
    lines += &delta(0, r#"{"type":"text_delta","text":"I will write the file,"}"#).repeat(60);
    lines += &whole(&format!(r#"{{"type":"text","text":"{text}"}}"#));
    lines += &event(r#"{"type":"content_block_stop","index":0}"#);
    lines += &delta(1, r#"{"type":"input_json_delta","partial_json":"{\"command\": \"cargo"}"#)
        .repeat(8);
    lines += &whole(call);
    lines += &event(
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":350}}"#,
    );
    lines + &event(r#"{"type":"message_stop"}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_lines_of_json() {
        let lines = answer(7);
        assert!(lines.ends_with('\n'));
        for line in lines.lines().chain(LAST_ANSWER.lines()).chain(RESULT.lines()) {
            let value: serde_json::Result<serde_json::Value> = serde_json::from_str(line);
            assert!(value.is_ok(), "{line}");
        }
    }
}
