//! The interface to what makes lanes and merges their work, and the thread in which it does so.

use std::collections::VecDeque;
use std::convert::Infallible;
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
    effects: Option<mpsc::Sender<LanesEffect>>,
    /// Is disconnected when the thread is over.
    over: Option<mpsc::Receiver<Infallible>>,
}

impl LaneServiceThread {
    /// Queues an effect. A message delivers its answer.
    pub(crate) fn perform(
        &mut self,
        effect: LanesEffect,
        service: &Arc<dyn LaneService>,
        children: &Arc<ChildProcesses>,
        sender: &LoopSender,
    ) -> io::Result<()> {
        let effects = match self.effects.take() {
            Some(effects) => effects,
            None => {
                let (effects, over) =
                    start(Arc::clone(service), Arc::clone(children), sender.clone())?;
                self.over = Some(over);
                effects
            }
        };
        effects.send(effect).expect("the thread takes effects for as long as there is a sender");
        self.effects = Some(effects);
        Ok(())
    }

    /// Takes no more effects, and waits for those that are queued. Returns false if the time is not
    /// enough.
    pub(crate) fn finish(&mut self, timeout: Duration) -> bool {
        self.effects = None;
        let Some(over) = &self.over else { return true };
        matches!(over.recv_timeout(timeout), Err(mpsc::RecvTimeoutError::Disconnected))
    }
}

fn start(
    service: Arc<dyn LaneService>,
    children: Arc<ChildProcesses>,
    sender: LoopSender,
) -> io::Result<(mpsc::Sender<LanesEffect>, mpsc::Receiver<Infallible>)> {
    let (effects, queue) = mpsc::channel();
    let (running, over) = mpsc::channel();
    thread::Builder::new().name("lanes".to_owned()).spawn(move || {
        let _running = running;
        let mut pending = VecDeque::new();
        while let Some(effect) = next_effect(&queue, &mut pending) {
            if let Some(answer) = service.perform(effect, &children) {
                sender.send(LoopMessage::Input(Input::Lanes(answer)));
            }
        }
    })?;
    Ok((effects, over))
}

/// Waits for the next effect. Lanes that are open do not wait until others are made. None once no more
/// effects come.
fn next_effect(
    queue: &mpsc::Receiver<LanesEffect>,
    pending: &mut VecDeque<LanesEffect>,
) -> Option<LanesEffect> {
    if pending.is_empty() {
        pending.push_back(queue.recv().ok()?);
    }
    pending.extend(queue.try_iter());
    let is_short = |effect: &LanesEffect| !matches!(effect, LanesEffect::OpenLane { .. });
    let next = pending.iter().position(is_short).unwrap_or(0);
    pending.remove(next)
}

#[cfg(test)]
mod tests {
    use forkhestra_core::id::{CommitId, LaneNumber};

    use super::*;

    #[test]
    fn making_lanes_comes_last() {
        let (effects, queue) = mpsc::channel();
        let lane = |index| LaneNumber::from_index(index).expect("it is small");
        let commit = CommitId::new("c");
        let open = |index| LanesEffect::OpenLane {
            lane: lane(index),
            step: 1,
            commit: CommitId::new("c"),
        };
        let advance = LanesEffect::AdvanceLane { lane: lane(0), to: commit, drops: false };
        for effect in [open(1), open(2), advance.clone()] {
            effects.send(effect).expect("it is received");
        }
        drop(effects);
        let mut pending = VecDeque::new();
        let order: Vec<LanesEffect> =
            std::iter::from_fn(|| next_effect(&queue, &mut pending)).collect();
        assert_eq!(order, [advance, open(1), open(2)]);
    }
}
