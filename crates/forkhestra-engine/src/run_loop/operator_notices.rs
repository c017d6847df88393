//! Reports notices to the operator, each one once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use forkhestra_core::machine::{Input, Workplace};

use crate::run_loop::loop_message::{LoopMessage, LoopSender};

/// Reports notices to the operator, each one once.
#[derive(Debug, Clone)]
pub(crate) struct OperatorNotices {
    sender: LoopSender,
    reported: Arc<Mutex<HashSet<String>>>,
}

impl OperatorNotices {
    pub(crate) fn new(sender: LoopSender) -> Self {
        Self { sender, reported: Arc::default() }
    }

    /// The same for another place, where none is reported again that was reported elsewhere.
    pub(crate) fn of(&self, place: Option<Workplace>) -> Self {
        Self { sender: self.sender.of(place), ..self.clone() }
    }

    /// Reports the notices that have not been reported yet.
    pub(crate) fn report_once(&self, notices: impl IntoIterator<Item = String>) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        for notice in notices {
            if reported.insert(notice.clone()) {
                self.sender.send(LoopMessage::Input(Input::OperatorNotice(notice)));
            }
        }
    }
}
