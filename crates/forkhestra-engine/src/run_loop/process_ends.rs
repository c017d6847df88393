//! The end of what runs in a place of work: of its program, its processes and its output.

use forkhestra_core::event::ProcessEnd;
use forkhestra_core::machine::Input;

use crate::output::{OutputOwner, PumpJobEnd};
use crate::process::{KeeperHandle, Pid, SignalNumber, signal_all};
use crate::run_loop::loop_context::LoopContext;
use crate::run_loop::workplace_executor::WorkplaceExecutor;

impl WorkplaceExecutor {
    /// Stops waiting for this agent or aux job.
    pub(crate) fn abandon(&mut self, owner: OutputOwner, context: &mut LoopContext<'_>) {
        if self.active.as_ref().is_some_and(|active| active.owner == owner) {
            self.end_output(owner, context);
            // A keeper ends everything below it.
            if let Some(active) = self.active.take() {
                context.ports.hook_process.ended(active.pid);
            }
        }
    }

    /// Notes the end of a child of ours, if it is the program that runs here or its keeper.
    pub(crate) fn note_end(&mut self, pid: Pid, end: &ProcessEnd, context: &mut LoopContext<'_>) {
        let Some(active) = &mut self.active else { return };
        match &mut active.keeper {
            None if active.pid == pid => self.program_ended(end.clone(), context),
            Some(keeper) if keeper.pid() == pid => {
                let reported = keeper.take_end();
                context.children.keeper_ended(keeper, end);
                // What has lost its keeper has no one to report its end, so it is ended.
                active.killed |= keeper.is_lost();
                let end = reported.unwrap_or_else(|| end.clone());
                self.program_ended(end, context);
            }
            None | Some(_) => {}
        }
    }

    /// Notes the end of the program that its keeper has reported.
    pub(crate) fn take_reported_end(&mut self, context: &mut LoopContext<'_>) {
        let keeper = self.active.as_mut().and_then(|active| active.keeper.as_mut());
        if let Some(end) = keeper.and_then(KeeperHandle::take_end) {
            self.program_ended(end, context);
        }
    }

    /// Notes the end of the program, unless it is known.
    fn program_ended(&mut self, end: ProcessEnd, context: &mut LoopContext<'_>) {
        let Some(active) = self.active.as_mut().filter(|active| active.end.is_none()) else {
            return;
        };
        let end = active.end_of_program(end);
        active.end = Some(end.clone());
        context.push(match active.owner {
            OutputOwner::Agent(unit) => Input::Exited { unit, end },
            OutputOwner::AuxJob(aux_job) => {
                context.ports.hook_process.ended(active.pid);
                Input::AuxJobExited { aux_job, end }
            }
        });
    }

    pub(crate) fn output_ended(&mut self, ended: PumpJobEnd, context: &mut LoopContext<'_>) {
        if let Some(error) = &ended.log_failure {
            let (owner, stream) = (ended.owner, ended.stream);
            let message = format!("the log of {stream} of {owner} is incomplete: {error}");
            context.push(Input::OperatorNotice(message));
        }
        if let Some(active) = self.active.as_mut().filter(|active| active.owner == ended.owner) {
            active.output_ended(ended);
        }
    }

    /// Checks whether processes or output of the agent or aux job are left.
    pub(crate) fn check_settled(&mut self, context: &mut LoopContext<'_>) {
        let Some(active) = &mut self.active else { return };
        let owner = active.owner;
        if active.end.is_some() && !active.is_gone {
            active.is_gone = !context.children.has_any_of(active.keeper.as_ref());
            if active.is_gone {
                context.push(match owner {
                    OutputOwner::Agent(unit) => Input::Gone { unit },
                    OutputOwner::AuxJob(aux_job) => Input::AuxJobGone { aux_job },
                });
                self.end_output(owner, context);
            } else if active.killed {
                // Processes that were started during the kill are killed as well.
                let left = context.children.processes_of(active.keeper.as_ref());
                signal_all(&left, SignalNumber::KILL);
            }
        }
        let Some(active) = &mut self.active else { return };
        if active.is_gone && active.output().is_some() {
            match owner {
                OutputOwner::Agent(unit) => self.agent_is_gone(unit, context),
                OutputOwner::AuxJob(aux_job) => self.aux_job_ended(aux_job, context),
            }
        }
    }

    /// Copies the output that is in the pipes and stops waiting for more, even if a process still
    /// holds them open.
    fn end_output(&mut self, owner: OutputOwner, context: &mut LoopContext<'_>) {
        for silent_stream in std::mem::take(&mut self.silent_streams) {
            match silent_stream.end() {
                Ok(ended) => self.output_ended(ended, context),
                Err((stream, job)) => self.pump(stream).run(job),
            }
        }
        if self.active.as_ref().is_some_and(|active| active.output().is_none()) {
            self.stdout.abandon(owner);
            self.stderr.abandon(owner);
        }
    }
}
