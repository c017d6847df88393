//! Effects of the loop that concern checks, hooks and clean rooms.

use std::path::PathBuf;
use std::thread;

use forkhestra_core::event::{AuxJob, AuxJobResult, ProcessEnd};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{CleanRoomFailure, Input, ProcessSignal};

use crate::aux_job::aux_job_command::{self, AuxJobProcess, PreparedAuxJob, spawn_command};
use crate::aux_job::aux_job_tails::{MAX_TAIL_BYTES, joined_tails};
use crate::aux_job::room_home::{CheckRoomDir, RoomHome};
use crate::output::{OutputOwner, OutputTail, StreamReading};
use crate::repository::room_repository;
use crate::run_loop::agents::AgentReadings;
use crate::run_loop::loop_context::LoopContext;
use crate::run_loop::loop_message::LoopMessage;
use crate::run_loop::workplace_executor::WorkplaceExecutor;
use crate::work_tree::query::{ProtectionQuery, RoomQuery};

/// Where checks run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CheckRoom {
    /// In the work tree.
    None,
    /// In a clean room that is being prepared for the checks of an iteration.
    Preparing(UnitId),
    /// In this clean room.
    Ready(CheckRoomDir),
}

impl CheckRoom {
    const fn ready(&self) -> Option<&CheckRoomDir> {
        match self {
            Self::Ready(room) => Some(room),
            Self::None | Self::Preparing(_) => None,
        }
    }
}

impl WorkplaceExecutor {
    /// Prepares a clean room for checks.
    pub(crate) fn prepare_room(&mut self, unit: UnitId, context: &LoopContext<'_>) {
        let state = context.state;
        let room = state.plan.steps[unit.step - 1].clean_room.as_ref();
        if let Some(query) = room.map(|room| RoomQuery::of(unit.step, &room.value, state)) {
            self.room = CheckRoom::Preparing(unit);
            self.observer.prepare_room(unit, query);
        }
    }

    /// Handles the result of the preparation. A clean room that is not needed any more is ignored:
    /// its removal is already queued.
    pub(crate) fn room_prepared(
        &mut self,
        unit: UnitId,
        room: Result<PathBuf, CleanRoomFailure>,
        context: &mut LoopContext<'_>,
    ) {
        if self.room != CheckRoom::Preparing(unit) {
            return;
        }
        let room = room.and_then(|path| self.create_room_home(unit, path, context));
        let failure = room.as_ref().err().cloned();
        self.room = room.map_or(CheckRoom::None, CheckRoom::Ready);
        context.push(Input::CleanRoomPrepared { unit, failure });
    }

    /// Creates the home directory of a clean room, and names the directories that agents could write.
    fn create_room_home(
        &self,
        unit: UnitId,
        path: PathBuf,
        context: &LoopContext<'_>,
    ) -> Result<CheckRoomDir, CleanRoomFailure> {
        let home = RoomHome::create(&self.settings.scratch, &self.settings.environment);
        let home = home.map_err(|error| {
            CleanRoomFailure::Machine(format!("no home can be made for the clean room: {error}"))
        })?;
        let room = &context.state.plan.steps[unit.step - 1].clean_room;
        let keep = room.as_ref().map_or(&[][..], |room| &room.value.keep);
        self.observer.report_once(home.notice(keep));
        let objects = vec![room_repository(&self.settings.persistent_directory)];
        Ok(CheckRoomDir { path, home, objects })
    }

    /// Removes the clean room.
    pub(crate) fn clear_room(&mut self) {
        let room = std::mem::replace(&mut self.room, CheckRoom::None);
        self.observer.clear_room(room);
    }

    /// Surveys the work of a step.
    pub(crate) fn survey(&mut self, step: usize, context: &LoopContext<'_>) {
        let before = context.state.steps[step - 1].before.clone();
        self.observer.survey(step, before);
    }

    /// Runs an aux job. Its output is not displayed, so it need not wait for the event sink.
    pub(crate) fn run_aux_job(&mut self, aux_job: AuxJob, context: &mut LoopContext<'_>) {
        let state = context.state;
        match aux_job_command::prepare(
            aux_job,
            state,
            context.ports,
            &self.settings,
            self.room.ready(),
        ) {
            PreparedAuxJob::Known(answer) => self.aux_job_settled(aux_job, answer, context),
            PreparedAuxJob::Slow(work) => self.run_in_thread(aux_job, work, context),
            PreparedAuxJob::Process(process) => self.start_aux_job(aux_job, process, context),
            PreparedAuxJob::Impossible(reason) => {
                let end = ProcessEnd::NotStarted { reason, transient: false };
                self.aux_job_never_ran(aux_job, end, context);
            }
        }
    }

    /// Runs slow work of an aux job in a thread, so that the loop does not block.
    fn run_in_thread(
        &mut self,
        aux_job: AuxJob,
        work: Box<dyn FnOnce() -> AuxJobResult + Send>,
        context: &mut LoopContext<'_>,
    ) {
        let sender = self.sender.clone();
        let thinker = thread::Builder::new().name("check".to_owned()).spawn(move || {
            let answer = work();
            sender.send(LoopMessage::AuxJobResultReady { aux_job, answer });
        });
        match thinker {
            Ok(_) => self.job_in_thread = Some(aux_job),
            Err(error) => {
                let reason = format!("a thread cannot be started: {error}");
                self.aux_job_never_ran(
                    aux_job,
                    ProcessEnd::NotStarted { reason, transient: true },
                    context,
                );
            }
        }
    }

    /// Handles the result of an aux job's thread, unless the job was abandoned.
    pub(crate) fn aux_job_result_ready(
        &mut self,
        aux_job: AuxJob,
        answer: AuxJobResult,
        context: &mut LoopContext<'_>,
    ) {
        if self.job_in_thread.take_if(|job| *job == aux_job).is_some() {
            self.aux_job_settled(aux_job, answer, context);
        }
    }

    fn start_aux_job(
        &mut self,
        aux_job: AuxJob,
        process: AuxJobProcess,
        context: &mut LoopContext<'_>,
    ) {
        let command = spawn_command(&process, self.settings.keeper.as_ref());
        let started = match (&process.sandbox, aux_job) {
            (Some(sandbox), _) => sandbox.start(context.children, &command),
            (None, AuxJob::Hook { .. }) => {
                let start = || context.children.start(&command);
                context.ports.hook_process.start(start, |spawned| spawned.pid)
            }
            (None, _) => context.children.start(&command),
        };
        match started {
            Ok(spawned) => {
                let streams =
                    [(); 2].map(|()| StreamReading::Tail(OutputTail::new(MAX_TAIL_BYTES)));
                let readings = AgentReadings { streams, progress: None };
                let pid = self.track_process(
                    OutputOwner::AuxJob(aux_job),
                    spawned,
                    readings,
                    process.files,
                    context,
                );
                self.set_active_sandbox(process.sandbox.map(|sandbox| *sandbox));
                context.push(Input::AuxJobStarted { aux_job, pid });
            }
            Err(error) => {
                let (reason, transient) = (error.to_string(), error.is_transient());
                self.aux_job_never_ran(
                    aux_job,
                    ProcessEnd::NotStarted { reason, transient },
                    context,
                );
            }
        }
    }

    fn aux_job_never_ran(
        &mut self,
        aux_job: AuxJob,
        end: ProcessEnd,
        context: &mut LoopContext<'_>,
    ) {
        context.push(Input::AuxJobExited { aux_job, end });
        self.aux_job_settled(aux_job, AuxJobResult::default(), context);
    }

    /// Handles the end of an aux job whose processes and output have ended.
    pub(crate) fn aux_job_ended(&mut self, aux_job: AuxJob, context: &mut LoopContext<'_>) {
        let Some(active) = self.active.take() else { return };
        context.report_changed_files();
        // Redacted before it is truncated: a part of a secret would not be recognised.
        let redact = |text: &str| context.ports.logs.redact(text);
        let (stdout, stderr) = (redact(&active.tails.stdout), redact(&active.tails.stderr));
        let hint = active.denial_hint(&stderr).or_else(|| active.denial_hint(&stdout));
        hint.into_iter().for_each(|hint| context.hint_at_sandbox(hint));
        let answer =
            aux_job_command::parse_program_result(&stdout, &joined_tails(&stdout, &stderr));
        match ProtectionQuery::of(aux_job, context.state) {
            Some(query) => {
                self.job_in_thread = Some(aux_job);
                self.observer.judge(aux_job, query, answer);
            }
            None => self.aux_job_settled(aux_job, answer, context),
        }
    }

    fn aux_job_settled(
        &mut self,
        aux_job: AuxJob,
        answer: AuxJobResult,
        context: &mut LoopContext<'_>,
    ) {
        let redact = |text: String| context.ports.logs.redact(&text);
        let AuxJobResult { passed, message, tail } = answer;
        let answer = AuxJobResult { passed, message: message.map(redact), tail: tail.map(redact) };
        context.push(Input::AuxJobSettled { aux_job, answer });
    }

    /// Sends a signal to an aux job and all its descendants. An aux job that is a thread ends at
    /// once, and its result is dropped.
    pub(crate) fn signal_aux_job(
        &mut self,
        aux_job: AuxJob,
        signal: ProcessSignal,
        context: &mut LoopContext<'_>,
    ) {
        let ends = signal >= ProcessSignal::Hangup;
        if ends && self.job_in_thread.take_if(|job| *job == aux_job).is_some() {
            // Its process may have succeeded, but its protected files were not compared.
            let answer = AuxJobResult { passed: Some(false), ..AuxJobResult::default() };
            self.aux_job_settled(aux_job, answer, context);
        } else {
            self.signal_running(OutputOwner::AuxJob(aux_job), signal, context);
        }
    }

    /// Stops waiting for this aux job.
    pub(crate) fn abandon_aux_job(&mut self, aux_job: AuxJob, context: &mut LoopContext<'_>) {
        self.job_in_thread.take_if(|job| *job == aux_job);
        self.abandon(OutputOwner::AuxJob(aux_job), context);
    }
}
