//! What runs in one place of work: at most one agent or aux job at a time.

use std::io;
use std::sync::Arc;

use forkhestra_core::event::AuxJob;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{Effect, RunState, Workplace};

use crate::launch::workplace_settings::WorkplaceSettings;
use crate::output::silent_stream::SilentStream;
use crate::output::{OutputOwner, OutputPump};
use crate::ports::EnginePorts;
use crate::process::ChildProcesses;
use crate::recording::unit_recorder::RecordingProgress;
use crate::run_loop::aux_jobs::CheckRoom;
use crate::run_loop::loop_context::LoopContext;
use crate::run_loop::loop_message::{LoopMessage, LoopSender};
use crate::run_loop::running_process::RunningProcess;
use crate::run_loop::shared_thread_state::SharedThreadState;
use crate::work_tree::observer::{ObservationSubject, WorkTreeObserver};

/// The executor of one place of work: the user's own work tree, a lane, or the merge queue. It performs the effects of
/// the machine that concern this place, and has the agent or aux job that runs there.
pub(crate) struct WorkplaceExecutor {
    pub(crate) settings: WorkplaceSettings,
    pub(crate) stdout: OutputPump,
    pub(crate) stderr: OutputPump,
    pub(crate) observer: WorkTreeObserver,
    pub(crate) active: Option<RunningProcess>,
    /// An agent that waits to be started until all earlier events are displayed.
    pub(crate) held_agent: Option<UnitId>,
    /// Where checks run now.
    pub(crate) room: CheckRoom,
    /// A running aux job that is a thread and not a process.
    pub(crate) job_in_thread: Option<AuxJob>,
    /// Streams without output so far.
    pub(crate) silent_streams: Vec<SilentStream>,
    /// The state of the recording of the running agent.
    pub(crate) recording: RecordingProgress,
    pub(crate) sender: LoopSender,
}

impl WorkplaceExecutor {
    /// Starts the threads of a place of work: one for each output stream, and the worker of the
    /// observer.
    pub(crate) fn start(
        settings: WorkplaceSettings,
        ports: &EnginePorts,
        state: &RunState,
        children: Arc<ChildProcesses>,
        shared: &SharedThreadState,
    ) -> io::Result<Self> {
        let sender = shared.sender.of(settings.place);
        let sink = match settings.place {
            Some(Workplace::Lane(lane)) => Arc::clone(&ports.output_sink).of_lane(lane),
            _ => None,
        };
        let sink = sink.unwrap_or_else(|| Arc::clone(&ports.output_sink));
        let pump = |stream| {
            let sender = sender.clone();
            OutputPump::start(stream, Arc::clone(&sink), move |message| {
                sender.send(LoopMessage::Output(message));
            })
        };
        Ok(Self {
            stdout: pump(OutputStream::Stdout)?,
            stderr: pump(OutputStream::Stderr)?,
            observer: WorkTreeObserver::new(&settings, ports, state, children, shared)?,
            settings,
            active: None,
            held_agent: None,
            room: CheckRoom::None,
            job_in_thread: None,
            silent_streams: Vec::new(),
            recording: RecordingProgress::default(),
            sender,
        })
    }

    /// Performs an effect that concerns this place.
    pub(crate) fn perform(&mut self, effect: &Effect, context: &mut LoopContext<'_>) {
        match *effect {
            Effect::Observe { step } => self.observe(ObservationSubject::Step(step), context),
            Effect::PollTasks { step } => self.observer.poll_tasks(step, context.state),
            Effect::ObserveWork { unit } => self.observe(ObservationSubject::Unit(unit), context),
            Effect::Spawn { unit } => {
                self.held_agent = Some(unit);
                self.begin_recording(unit, context);
                self.start_held(context);
            }
            Effect::SignalAgent { unit, signal } => self.signal_agent(unit, signal, context),
            Effect::Probe { unit } => self.probe(unit, context),
            Effect::AbandonAgent { unit } => self.abandon(OutputOwner::Agent(unit), context),
            Effect::PrepareCleanRoom { unit } => self.prepare_room(unit, context),
            Effect::ClearCleanRoom { .. } => self.clear_room(),
            Effect::RunAuxJob { aux_job } => self.run_aux_job(aux_job, context),
            Effect::SignalAuxJob { aux_job, signal } => {
                self.signal_aux_job(aux_job, signal, context);
            }
            Effect::AbandonAuxJob { aux_job } => self.abandon_aux_job(aux_job, context),
            Effect::CompareTasks { unit } => self.observer.compare_tasks(unit),
            Effect::SurveyWork { step } => self.survey(step, context),
            // The loop performs what concerns the whole run.
            Effect::Emit(_)
            | Effect::Reply { .. }
            | Effect::SuspendSelf
            | Effect::At { .. }
            | Effect::Lanes(_) => {}
        }
    }
}
