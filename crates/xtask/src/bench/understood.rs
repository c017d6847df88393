//! What an iteration costs when the agent is understood: its command line, its stream and what it
//! spent come on top.

use crate::error::Result;

use super::figure::{Figure, Limit};
use super::programs::Programs;
use super::rounds::Contest;
use super::stand_in::{AGENT, StandIn, message};
use super::streams::RESULT;
use super::usage::Expected;

const ITERATIONS: u32 = 200;
const ROUNDS: usize = 7;

pub(super) fn measure(programs: &Programs) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let said: String = (0..5).map(|number| message(number, "I will run the tests.\n")).collect();
    let stand_in = StandIn::saying(&(said + RESULT))?;
    let chain = format!("{AGENT}:{ITERATIONS}");
    let contest = Contest {
        place: &stand_in.place,
        body: "./claude".to_owned(),
        iterations: ITERATIONS,
        // It never says that everything is done.
        ours: &|| Expected(stand_in.run(program, &[&chain, "--durability", "os"]), 1),
        wanted: ROUNDS,
    };
    let work = format!("{ITERATIONS} short streams of a stand-in, `--durability os`");
    Ok(contest.measure()?.figures(&work, Limit::None))
}
