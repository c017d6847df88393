//! Tells people what they should know, each thing once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::message::{Message, Sender};

/// Tells people what they should know, each thing once.
#[derive(Debug, Clone)]
pub(crate) struct Notices {
    sender: Sender,
    told: Arc<Mutex<HashSet<String>>>,
}

impl Notices {
    pub(crate) fn new(sender: Sender) -> Self {
        Self { sender, told: Arc::default() }
    }

    /// Tells all that have not been told.
    pub(crate) fn extend(&self, notices: impl IntoIterator<Item = String>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for notice in notices {
            if told.insert(notice.clone()) {
                self.sender.send(Message::Noticed(notice));
            }
        }
    }
}
