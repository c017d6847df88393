//! The cost of an iteration whose agent stream is parsed: command line, stream and cost accounting
//! are added.

use devkit::error::Result;

use super::streams::RESULT;
use crate::measure::fake_claude::{AGENT, FakeClaude, message};
use crate::measure::loop_comparison::LoopComparison;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::resource_usage::ExpectedCommand;
use crate::report::figure::{Figure, FigureLimit};

const ITERATIONS: u32 = 200;
const ROUNDS: usize = 7;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let messages: String =
        (0..5).map(|number| message(number, "I will run the tests.\n")).collect();
    let stand_in = FakeClaude::saying(&(messages + RESULT))?;
    let chain = format!("{AGENT}:{ITERATIONS}");
    let contest = LoopComparison {
        place: &stand_in.place,
        body: "./claude".to_owned(),
        iterations: ITERATIONS,
        // The agent never claims completion.
        ours: &|| ExpectedCommand(stand_in.run(program, &[&chain, "--durability", "os"]), 1),
        wanted: ROUNDS,
    };
    let work = format!("{ITERATIONS} short streams of a stand-in, `--durability os`");
    Ok(contest.measure()?.figures(&work, FigureLimit::None))
}
