//! A run as two processes: one runs it, the other watches over that.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{AgentEnd, Event, RunEnd};
use forkhestra_core::history::History;
use forkhestra_core::machine::{Machine, RunState};
use forkhestra_core::notify::of_run;
use forkhestra_engine::agent::event::AgentEvent;
use forkhestra_engine::output::Stream;
use forkhestra_engine::process::{Background, GuardLink, GuardReport, Role, split};
use forkhestra_engine::signal::{Signals, Waker};
use forkhestra_engine::{EngineError, Recorder, Setting, Sink, now};
use forkhestra_store::control;
use forkhestra_store::recording::Recording;
use forkhestra_store::view::{ViewDir, ViewFacts};
use forkhestra_store::{Hold, Journal, RunDir, history};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::background;
use super::control::Control;
use super::logs::RunLogs;
use super::recordings::KnownRecordings;
use super::sink::{Beginning, Company, Reporter, RunSink};
use super::tasks::Tasks;
use super::tools;
use super::views::{ViewJob, Views, rebuild_in_time};
use crate::args::{Format, OutputArgs};
use crate::error::{CliError, in_full};
use crate::exit_code;
use crate::host_facts;
use crate::notify::{Notice, Patience, Target, Teller};
use crate::project::Project;
use crate::report::dry_run::Detail;
use crate::report::run::{self, Facts, HumanReporter, Outlet, Passes, RunScreen, Settings, Writer};
use crate::resume_command::{resume_command, state_root};
use crate::screen::Screen;
use typeset::color::Color;

/// A run that is ready to begin, or to go on.
pub(crate) struct Execution<'a> {
    pub(crate) machine: Machine,
    /// What happened before, if it goes on.
    pub(crate) earlier: Vec<Event>,
    /// What that comes to.
    pub(crate) history: Option<History>,
    pub(crate) run_dir: RunDir,
    pub(crate) hold: Hold,
    pub(crate) journal: Journal,
    pub(crate) output: &'a OutputArgs,
    pub(crate) project: &'a Project,
    /// Whether somebody wants to see the run in its working directory.
    pub(crate) has_view: bool,
    /// Where everything that agents do is recorded, if somebody wants that.
    pub(crate) recording: Option<Recording>,
    /// Whom to tell that it has begun, if it has no screen.
    pub(crate) background: Option<Background>,
    /// Whom to tell what becomes of it.
    pub(crate) notify: Vec<Target>,
}

/// Everything that a run is made of.
struct Stage {
    machine: Machine,
    setting: Setting,
    sink: RunSink,
    hold: Hold,
}

/// Runs to the end, and gives the exit code. It returns in the process that the user started; the
/// other one, which does the work, ends with it.
pub(crate) fn execute(execution: Execution<'_>) -> Result<u8, CliError> {
    if let Some(background) = &execution.background
        && let Err(error) = background::settle(background, &execution.run_dir)
    {
        release(execution.hold);
        return Err(error);
    }
    let role = split().map_err(|error| {
        CliError::wrong(Diagnostic::error(format!("no second process can be started: {error}")))
    })?;
    match role {
        Role::Guard(report) => Ok(execution.watched(&report)),
        Role::Runner(guard) => {
            let code = execution.work(guard);
            #[expect(clippy::exit, reason = "what is above us on the stack belongs to the guard")]
            std::process::exit(i32::from(code))
        }
    }
}

impl Execution<'_> {
    /// The guard's part, when all is over.
    fn watched(self, report: &GuardReport) -> u8 {
        let mut said = Vec::new();
        if !report.left.is_empty() {
            let pids: Vec<String> = report.left.iter().map(ToString::to_string).collect();
            said.push(Diagnostic::warning(format!(
                "processes that cannot be ended are left: {}",
                pids.join(", ")
            )));
        }
        let error = exit_code::error(self.project.program);
        let (death, code) = match (&report.runner, report.cut_short) {
            (AgentEnd::Exited(code), _) => (None, u8::try_from(*code).unwrap_or(error)),
            (AgentEnd::Signaled(_), Some(by)) => {
                let why = "the runner did not end when it was asked to, and was killed";
                (Some(why.to_owned()), by.exit_code())
            }
            (AgentEnd::Signaled(signal), None) => {
                let why = format!("the runner was killed by signal {signal}");
                (Some(why), exit_code::of_signal(self.project.program, *signal))
            }
            (AgentEnd::NotStarted { .. }, _) => (None, error),
        };
        let was_killed = death.is_some();
        let by_person =
            report.cut_short.is_some_and(|by| of_run(&RunEnd::Interrupted(by)).is_none());
        let notice = death.as_ref().filter(|_| !by_person).map(|death| self.obituary(death));
        said.extend(death.map(|death| {
            Diagnostic::error(death)
                .hint("every process that it had started has been ended")
                .hint(format!("to resume: {}", self.resume_command()))
        }));
        if was_killed {
            self.clear_live_line();
        }
        say(&mut Screen::new(self.output.color.color), &said);
        let (targets, color) = (self.notify.clone(), self.output.color.color);
        if was_killed {
            self.leave();
        }
        if let Some(notice) = notice {
            tell_of_death(&targets, notice, color);
        }
        code
    }

    /// Clears the live line that a killed runner left, unless the terminal takes nothing. If that fails, what
    /// is said next is only harder to read.
    fn clear_live_line(&self) {
        if takes_more(io::stdout().as_fd())
            && let Ok(outlet) = self.outlet()
        {
            let _ = outlet.clear_abandoned_status();
        }
    }

    /// What to tell of a run whose runner is dead, by what it left.
    fn obituary(&self, death: &str) -> Notice {
        let past = history::read(&self.run_dir).ok();
        let state = past.as_ref().map_or(self.machine.state(), |past| &past.history.state);
        Notice::of_death(death, state)
    }

    /// Does what the runner did not come to.
    fn leave(self) {
        // The runner may have been killed when its run was over, and somebody else goes on with that.
        if self.journal.is_ours() {
            // What stays is recognised for what it is.
            let _ = control::remove(self.journal.lock());
            if self.has_view {
                rebuild_in_time(&self.run_dir, self.project);
            }
        }
        release(self.hold);
    }

    /// The runner's part.
    fn work(self, guard: GuardLink) -> u8 {
        let program = self.project.program;
        let error = exit_code::error(program);
        let mut screen = Screen::new(self.output.color.color);
        let hint = format!("every agent has been ended; to resume: {}", self.resume_command());
        let run_dir = self.run_dir.clone();
        let tools =
            tools::place(&scratch(&self.run_dir)).map_err(|doubt| screen.tell(&[doubt])).ok();
        let Stage { machine, setting, mut sink, hold } = match self.stage(guard, tools) {
            Ok(stage) => stage,
            Err(failure) => {
                screen.tell(&failure.diagnostics());
                return error;
            }
        };
        let ran = forkhestra_engine::run(machine, setting, &mut sink);
        sink.finish_control();
        let teller = sink.take_teller();
        // From now on whoever wants us to end gets his way at once.
        let signals = teller.as_ref().and_then(|_| Signals::install_again().ok());
        let patience = patience_after(&ran);
        let (code, last_words) = match ran {
            Ok(state) => {
                let unread = "the end of the output was not read";
                let is_unread = !sink.wait_until_shown(Duration::ZERO);
                let warning = is_unread.then(|| Diagnostic::warning(unread).hint(hint));
                let code = state.end.map_or(error, |end| exit_code::of_end(program, &end));
                (code, warning)
            }
            Err(failure) => {
                sink.clear();
                let why = in_full(&failure);
                tell_of_failure(teller.as_ref(), &why, &run_dir);
                (error, Some(Diagnostic::error(why).hint(hint)))
            }
        };
        let said: Vec<Diagnostic> = last_words.into_iter().chain(sink.finish_views()).collect();
        say(&mut screen, &said);
        // The journal comes last: as long as it names us, whoever finds us killed sees to the rest.
        let Some(teller) = teller else {
            release(hold);
            drop(sink);
            return code;
        };
        // Whoever waits for the run to be over does not wait for those who are told of it, nor does
        // who goes on with it. If that fails, they do.
        if let Hold::Locked(lock) = hold {
            let _ = lock.release_for_all();
        }
        let _ = sink.release_for_all();
        finish_telling(teller, patience, signals, &mut screen);
        code
    }

    /// Puts everything together that a run is made of.
    fn stage(self, guard: GuardLink, tools: Option<PathBuf>) -> Result<Stage, CliError> {
        let refused = |error: io::Error| {
            CliError::wrong(Diagnostic::error(format!("the system refused to work: {error}")))
        };
        let outlet = Arc::new(self.outlet()?);
        let facts = Facts {
            resume_command: Some(self.resume_command()),
            state_directory: (!self.output.is_temporary)
                .then(|| self.run_dir.path().display().to_string()),
            run_dir: Some(self.run_dir.clone()),
            program: self.project.program,
        };
        let reporter = self.reporter(facts, &outlet);
        let setting = self.setting(guard, &outlet).map_err(refused)?;
        let waker = setting.signals.waker();
        let (control, requests) = Control::new(waker.clone());
        let setting = Setting { tools: tools.clone(), requests: Some(requests), ..setting };
        let teller = self.teller(waker.clone()).map_err(refused)?;
        let writer = Writer::new(outlet, move || waker.wake()).map_err(refused)?;
        let views = ViewJob {
            run_dir: self.run_dir.clone(),
            directory: self.view_directory(),
            facts: self.view_facts(),
            history: self.history,
        };
        let views = Views::start(views).map_err(refused)?;
        let company = Company { views, teller, control };
        let beginning = Beginning { tools, background: self.background };
        let sink = RunSink::new(self.journal, reporter, writer, company, beginning);
        Ok(Stage { machine: self.machine, setting, sink, hold: self.hold })
    }

    /// Whoever tells others of the run, if there is anybody to tell.
    fn teller(&self, waker: Waker) -> io::Result<Option<Teller>> {
        match self.notify.as_slice() {
            [] => Ok(None),
            targets => {
                let teller = Teller::start(targets, move || waker.wake())?;
                Ok(Some(teller.after(self.history.clone(), self.run_dir.clone())))
            }
        }
    }

    /// Where the view of the run is, if somebody wants one.
    fn view_directory(&self) -> Option<ViewDir> {
        let place = Path::new(&self.machine.state().plan.working_directory);
        self.has_view.then(|| ViewDir::of(place))
    }

    fn view_facts(&self) -> ViewFacts {
        ViewFacts { journal: self.run_dir.journal(), resume: Some(self.resume_command()) }
    }

    /// In the background nothing reads events but from the journal.
    fn format(&self) -> Format {
        if self.background.is_some() { Format::Human } else { self.output.output }
    }

    fn outlet(&self) -> io::Result<Outlet> {
        let passes = match (self.format(), self.output.quiet) {
            // What agents print is kept already.
            _ if self.background.is_some() => Passes::Nothing,
            (Format::Json, _) => Passes::Errors,
            (Format::Human, true) => Passes::Nothing,
            (Format::Human, false) => Passes::Everything,
        };
        let live = self.project.environment.allows_live_line();
        let (color, detail) = (self.output.color.color, Detail::of(self.output));
        Outlet::of_process(Settings { color, passes, detail, live })
    }

    fn reporter(&self, facts: Facts, outlet: &Outlet) -> Reporter {
        match self.format() {
            Format::Json => Reporter::Json,
            Format::Human => {
                let plan = &self.machine.state().plan;
                let human = HumanReporter::new(plan, Detail::of(self.output), facts);
                let mut screen = RunScreen::new(human, outlet.has_status());
                self.earlier.iter().for_each(|event| screen.absorb(event));
                Reporter::Human(Box::new(screen))
            }
        }
    }

    fn setting(&self, guard: GuardLink, outlet: &Arc<Outlet>) -> io::Result<Setting> {
        let plan = &self.machine.state().plan;
        let inherited = &self.project.environment.inherited;
        let logs = RunLogs::new(
            self.run_dir.clone(),
            plan,
            inherited,
            self.notify.iter().filter_map(Target::secret),
        );
        let (logs, recorder) = match &self.recording {
            Some(recording) => {
                let (logs, recorder) = logs.recorded(recording.clone());
                (logs, Some(recorder as Arc<dyn Recorder>))
            }
            None => (logs, None),
        };
        // Asked before signals are ours: git is a child that the engine does not know.
        let host = host_facts::of_plan(plan, self.project);
        Ok(Setting {
            signals: Signals::install_below(&guard)?,
            guard: Some(guard),
            environment: inherited.clone(),
            outlet: Arc::clone(outlet) as Arc<dyn forkhestra_engine::output::Outlet>,
            logs: Box::new(logs),
            recorder,
            watched: Some(io::stdout().as_fd().try_clone_to_owned()?),
            scratch: scratch(&self.run_dir),
            kept: self.run_dir.path().join("kept"),
            tools: None,
            tasks: Arc::new(Tasks::new(self.project, &scratch(&self.run_dir))),
            recordings: Arc::new(self.recordings()),
            requests: None,
            host,
            state: state_root(self.run_dir.work_tree().path()).to_owned(),
        })
    }

    /// What is played back in place of agents, if anything is. The places of ours are those of a run,
    /// and one in which it is recorded itself.
    fn recordings(&self) -> KnownRecordings {
        let plan = &self.machine.state().plan;
        let state = state_root(self.run_dir.work_tree().path()).to_owned();
        let record = plan.record.as_ref();
        let record = record.map(|place| Path::new(&plan.working_directory).join(place));
        KnownRecordings {
            environment: self.project.environment.inherited.clone(),
            ours: [state].into_iter().chain(record).collect(),
        }
    }

    fn resume_command(&self) -> String {
        resume_command(&self.run_dir, &self.machine.state().plan, self.project)
    }
}

/// Where a run has the files that it needs for looking at its work tree.
pub(super) fn scratch(run: &RunDir) -> PathBuf {
    run.path().join("scratch")
}

/// Leaves word that nobody has to look for leftovers. If that fails, somebody will, and finds none.
pub(crate) fn release(hold: Hold) {
    if let Hold::Locked(lock) = hold {
        let _ = lock.release();
    }
}

/// Says something, unless nobody reads it: whoever does not read what the runner prints may not read
/// this either, and cannot be waited for.
fn say(screen: &mut Screen, said: &[Diagnostic]) {
    if !said.is_empty() && takes_more(io::stderr().as_fd()) {
        screen.tell(said);
    }
}

/// How long those who are told of a run that ended like this are waited for.
fn patience_after(ran: &Result<RunState, EngineError>) -> Patience {
    let end = ran.as_ref().ok().and_then(|state| state.end.as_ref());
    match end {
        Some(RunEnd::Interrupted(_)) => Patience::Short,
        _ => Patience::Usual,
    }
}

/// Tells of a run that could not go on, by what its journal has.
fn tell_of_failure(teller: Option<&Teller>, why: &str, run: &RunDir) {
    let Some(teller) = teller else { return };
    // Without a journal there is no run to tell of.
    if let Ok(past) = history::read(run) {
        teller.tell(Notice::of_death(why, &past.history.state));
    }
}

/// Waits for those who are told of a run that is over.
fn finish_telling(
    teller: Teller,
    patience: Patience,
    signals: Option<Signals>,
    screen: &mut Screen,
) {
    let said = teller.finish(patience, signals, &mut |awaited| say(screen, awaited));
    say(screen, &said);
}

/// The guard's part, when nobody else can tell any more.
fn tell_of_death(targets: &[Target], notice: Notice, color: Color) {
    if targets.is_empty() {
        return;
    }
    let mut screen = Screen::new(color);
    let told = Signals::install_again().and_then(|signals| {
        let waker = signals.waker();
        let teller = Teller::start(targets, move || waker.wake())?;
        teller.tell(notice);
        Ok((teller, signals))
    });
    match told {
        Ok((teller, signals)) => {
            finish_telling(teller, Patience::Usual, Some(signals), &mut screen);
        }
        Err(error) => {
            let message = format!("no notification could be sent: {error}");
            say(&mut screen, &[Diagnostic::warning(message)]);
        }
    }
}

/// Whether a few lines can be written, now or in a moment, without waiting for a reader.
fn takes_more(stream: BorrowedFd<'_>) -> bool {
    let moment = Timespec { tv_sec: 1, tv_nsec: 0 };
    let mut files = [PollFd::from_borrowed_fd(stream, PollFlags::OUT)];
    // Where the question is not understood, writing does not wait.
    poll(&mut files, Some(&moment)) != Ok(0)
}

impl forkhestra_engine::output::Outlet for Outlet {
    fn write(&self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        Self::write(self, ours(stream), bytes)
    }

    fn show(&self, event: &AgentEvent<'_>) -> io::Result<()> {
        Self::show(self, event, now().wall)
    }

    fn lend_pipe(&self, stream: Stream, put: &mut dyn FnMut(BorrowedFd<'_>) -> Option<u8>) {
        Self::lend_pipe(self, ours(stream), put);
    }
}

fn ours(stream: Stream) -> run::Stream {
    match stream {
        Stream::Stdout => run::Stream::Stdout,
        Stream::Stderr => run::Stream::Stderr,
    }
}
