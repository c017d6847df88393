//! The interface to what makes lanes and merges their work, and the thread in which it does so.

use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use forkhestra_core::machine::{Input, LanesEffect, LanesInput, RunState, Workplace};

use crate::launch::workplace_settings::WorkplaceLocation;
use crate::process::ChildProcesses;
use crate::run_loop::loop_message::{LoopMessage, LoopSender};

/// Makes lanes and merges their work.
pub trait LaneService: Send + Sync {
    /// Performs an effect, and returns its answer if the machine waits for one. It is called in a thread
    /// of its own, one effect after the other, and may take long. It starts processes as helpers in the
    /// table.
    fn perform(&self, effect: LanesEffect, children: &Arc<ChildProcesses>) -> Option<LanesInput>;

    /// Where a place is that was made before. Agents and checks are about to be started there.
    fn location(&self, place: Workplace, state: &RunState) -> Option<WorkplaceLocation>;

    /// Starts no more processes: the run is over. It is called in another thread.
    fn stop(&self) {}
}

/// A [`LaneService`] for runs without lanes.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLanes;

impl LaneService for NoLanes {
    fn perform(&self, effect: LanesEffect, _: &Arc<ChildProcesses>) -> Option<LanesInput> {
        match effect {
            LanesEffect::BeginIntegration { .. } => {
                Some(LanesInput::IntegrationFailed { why: "lanes cannot be made here".to_owned() })
            }
            _ => None,
        }
    }

    fn location(&self, _: Workplace, _: &RunState) -> Option<WorkplaceLocation> {
        None
    }
}

/// The thread of a [`LaneService`]. A run without lanes has none.
#[derive(Debug, Default)]
pub(crate) struct LaneServiceThread {
    running: Option<RunningLaneService>,
}

#[derive(Debug)]
struct RunningLaneService {
    effects: mpsc::Sender<LanesEffect>,
    /// It is disconnected when the thread has performed everything.
    end: mpsc::Receiver<()>,
}

/// Upper bound for what is left to do for lanes at the end of a run.
const END_TIMEOUT: Duration = Duration::from_secs(60);

impl LaneServiceThread {
    /// Queues an effect. A message delivers its answer.
    pub(crate) fn perform(
        &mut self,
        effect: LanesEffect,
        service: &Arc<dyn LaneService>,
        children: &Arc<ChildProcesses>,
        sender: &LoopSender,
    ) -> io::Result<()> {
        let running = match self.running.take() {
            Some(running) => running,
            None => start(Arc::clone(service), Arc::clone(children), sender.clone())?,
        };
        let sent = running.effects.send(effect);
        sent.expect("the thread takes effects for as long as there is a sender");
        self.running = Some(running);
        Ok(())
    }

    /// Waits until everything is performed that was queued: the run is over.
    pub(crate) fn finish(&mut self) {
        let Some(RunningLaneService { effects, end }) = self.running.take() else { return };
        drop(effects);
        // What takes longer is ended with the process, and a resume repeats it.
        let _ = end.recv_timeout(END_TIMEOUT);
    }
}

fn start(
    service: Arc<dyn LaneService>,
    children: Arc<ChildProcesses>,
    sender: LoopSender,
) -> io::Result<RunningLaneService> {
    let (effects, queue) = mpsc::channel();
    let (ended, end) = mpsc::channel();
    thread::Builder::new().name("lanes".to_owned()).spawn(move || {
        let _ended: mpsc::Sender<()> = ended;
        for effect in queue {
            if let Some(answer) = service.perform(effect, &children) {
                sender.send(LoopMessage::Input(Input::Lanes(answer)));
            }
        }
    })?;
    Ok(RunningLaneService { effects, end })
}
