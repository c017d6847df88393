//! `forkhestra logs`: what the agents of a run printed, and what they are printing.

use forkhestra_core::count::Count;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_store::history::{self, HistoryError};
use forkhestra_store::{Overview, RunDir};

use crate::args_logs::LogsArgs;
use crate::error::CliError;
use crate::find_run::{self, Places};
use crate::playback::{self, Beginning, Choice, Player, Source, Telling, Try, Voice, Wish};
use crate::project::Project;
use crate::report::dry_run::Detail;
use crate::{exit_code, repair, resume_command};

/// Shows them.
pub(crate) fn execute(args: &LogsArgs) -> Result<u8, CliError> {
    let project = Project::find(&args.place.project())?;
    let places = Places { project: &project, state_dir: args.place.state_dir.as_deref() };
    let run = match &args.run {
        Some(name) => places.named(name)?,
        None => newest(&places)?,
    };
    let journal = run.journal();
    let refused = |unusable| repair::refused(&unusable, &run, &project);
    let mut telling = Telling::begin(&journal).map_err(refused)?;
    let wish = wish(args);
    let choice = wish.settle(&telling.story)?;
    let detail = if args.verbose { Detail::Verbose } else { Detail::Normal };
    let voice = Voice::of_process(args.place.color.color, args.raw, detail)?;
    let beginning = match args.lines {
        None => Beginning::default(),
        Some(lines) => {
            let source = Source { run: &run, story: &telling.story, voice: &voice };
            beginning(lines, choice, &source)?
        }
    };
    let mut player = Player::new(&run, choice, beginning, voice);
    let found = if args.follow {
        follow(&run, choice, &mut telling, &mut player, refused)?
    } else {
        player.play(&telling.story)?;
        Found::Everything
    };
    player.close(&telling.story)?;
    if let Found::CutOff = found {
        player.voice.warn(&cut_off(&run, &project))?;
    }
    // What was waited for may not have come.
    Wish { may_wait: false, ..wish }.settle(&telling.story)?;
    Ok(exit_code::COMPLETE)
}

/// What became of a run while we watched.
enum Found {
    /// Everything there was to see.
    Everything,
    /// Somebody was killed before it was over.
    CutOff,
}

/// Plays what is there and what comes, until nothing more can come.
fn follow(
    run: &RunDir,
    choice: Choice,
    telling: &mut Telling<'_>,
    player: &mut Player<'_>,
    refused: impl Fn(HistoryError) -> CliError,
) -> Result<Found, CliError> {
    loop {
        // Asked first: whoever is gone by now has written everything.
        let liveness = history::liveness(run);
        telling.go_on().map_err(&refused)?;
        let has_played = player.play(&telling.story)?;
        if choice.is_exhausted(&telling.story) {
            return Ok(Found::Everything);
        }
        if liveness == Liveness::Gone {
            return Ok(Found::CutOff);
        }
        if !has_played {
            playback::wait_a_moment()?;
        }
    }
}

/// The newest run of this work tree of which anything is known.
pub(super) fn newest(places: &Places<'_>) -> Result<RunDir, CliError> {
    let was_begun = |run: &RunDir| !Overview::read(run).is_err_and(|nothing| nothing.is_nothing());
    places.here_to_the_moment()?.into_iter().find(was_begun).ok_or_else(find_run::nothing_here)
}

fn wish(args: &LogsArgs) -> Wish {
    Wish {
        step: args.step.map(|step| usize::try_from(step.get()).unwrap_or(usize::MAX)),
        iteration: args.iteration.map(Count::get),
        may_wait: args.follow,
    }
}

fn beginning(lines: u32, choice: Choice, source: &Source<'_>) -> Result<Beginning, CliError> {
    let tries = source.story.tries.iter().enumerate();
    let wanted: Vec<(usize, &Try)> =
        tries.filter(|(_, attempt)| choice.takes(attempt.unit)).collect();
    Beginning::before_end(lines.into(), &wanted, source)
}

/// Says that whoever was at work was killed.
pub(super) fn cut_off(run: &RunDir, project: &Project) -> Diagnostic {
    let (id, command) = (run.run(), resume_command::without_plan(run, project));
    Diagnostic::warning(format!("run {id} was cut off: no process works on it any more"))
        .hint(format!("to resume: {command}"))
}
