//! Control requests to a run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::Receiver;

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest, RefusedRequest};

/// The ticket of a request that was typed at the terminal. Those of other requests are larger.
pub(crate) const TERMINAL_TICKET: u64 = 0;

/// A control request with its reply channel.
pub struct PendingRequest {
    pub request: ControlRequest,
    /// Called once by the loop with the reply; it must not block. It is dropped uncalled only if
    /// the run is over.
    pub answer: Box<dyn FnOnce(ControlReply) + Send>,
}

impl fmt::Debug for PendingRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingRequest").field("request", &self.request).finish_non_exhaustive()
    }
}

/// The requests that wait for a reply.
#[derive(Default)]
pub(crate) struct RequestQueue {
    requests: Option<Receiver<PendingRequest>>,
    waiting: BTreeMap<u64, Box<dyn FnOnce(ControlReply) + Send>>,
    tickets: u64,
}

impl RequestQueue {
    pub(crate) fn new(requests: Option<Receiver<PendingRequest>>) -> Self {
        Self { requests, ..Self::default() }
    }

    /// The next request, with the ticket by which it is answered.
    pub(crate) fn next(&mut self) -> Option<(u64, ControlRequest)> {
        let PendingRequest { request, answer } = self.requests.as_ref()?.try_recv().ok()?;
        self.tickets += 1;
        self.waiting.insert(self.tickets, answer);
        Some((self.tickets, request))
    }

    /// Answers the request with this ticket.
    pub(crate) fn reply(&mut self, ticket: u64, reply: ControlReply) {
        if let Some(answer) = self.waiting.remove(&ticket) {
            answer(reply);
        }
    }

    /// Refuses all new requests, since the run is over, except requests to end the process. Returns
    /// whether there was one of those.
    pub(crate) fn reject_new(&mut self) -> bool {
        let mut shall_end = false;
        while let Some((ticket, request)) = self.next() {
            let reply = match request {
                ControlRequest::StopNow => ControlReply::Accepted(AcceptedRequest::Ends),
                _ => ControlReply::Refused(RefusedRequest::Over),
            };
            shall_end |= request == ControlRequest::StopNow;
            self.reply(ticket, reply);
        }
        shall_end
    }

    /// Refuses all pending requests, since the run is over, and closes the queue.
    pub(crate) fn close(&mut self) {
        self.reject_pending();
        self.requests = None;
    }

    /// Refuses all pending requests, since the run is over.
    pub(crate) fn reject_pending(&mut self) {
        while self.next().is_some() {}
        for answer in std::mem::take(&mut self.waiting).into_values() {
            answer(ControlReply::Refused(RefusedRequest::Over));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    fn ask(sender: &Sender<PendingRequest>, request: ControlRequest) -> Receiver<ControlReply> {
        let (answers, answer) = channel();
        let answer_with = Box::new(move |reply| answers.send(reply).expect("it is waited for"));
        sender.send(PendingRequest { request, answer: answer_with }).expect("there is a receiver");
        answer
    }

    #[test]
    fn every_client_gets_the_reply_to_its_own_request() {
        let (sender, receiver) = channel();
        let mut queue = RequestQueue::new(Some(receiver));
        let (first, second) =
            (ask(&sender, ControlRequest::Pause), ask(&sender, ControlRequest::Skip));
        let (one, request) = queue.next().expect("it was requested");
        assert_eq!(request, ControlRequest::Pause);
        let (two, request) = queue.next().expect("it was requested");
        assert_eq!(request, ControlRequest::Skip);
        assert_eq!(queue.next(), None);
        queue.reply(two, ControlReply::Accepted(AcceptedRequest::Skips { step: 1 }));
        queue.reply(one, ControlReply::Accepted(AcceptedRequest::Paused));
        queue.reply(two, ControlReply::Accepted(AcceptedRequest::Continued));
        assert_eq!(
            first.try_iter().collect::<Vec<_>>(),
            [ControlReply::Accepted(AcceptedRequest::Paused)]
        );
        let skips = ControlReply::Accepted(AcceptedRequest::Skips { step: 1 });
        assert_eq!(second.try_iter().collect::<Vec<_>>(), [skips]);
    }

    #[test]
    fn pending_clients_are_refused_at_the_end_of_the_run() {
        let (sender, receiver) = channel();
        let mut queue = RequestQueue::new(Some(receiver));
        let reply = ask(&sender, ControlRequest::Stop);
        assert!(queue.next().is_some());
        let unread_reply = ask(&sender, ControlRequest::Stop);
        queue.close();
        for answer in [reply, unread_reply] {
            assert_eq!(answer.try_recv(), Ok(ControlReply::Refused(RefusedRequest::Over)));
        }
        let late = PendingRequest { request: ControlRequest::Stop, answer: Box::new(drop) };
        assert!(sender.send(late).is_err(), "there is no receiver");
    }

    #[test]
    fn stop_now_is_accepted_after_the_end_of_the_run() {
        let (sender, receiver) = channel();
        let mut queue = RequestQueue::new(Some(receiver));
        assert!(!queue.reject_new());
        let (stop, now) =
            (ask(&sender, ControlRequest::Stop), ask(&sender, ControlRequest::StopNow));
        assert!(queue.reject_new());
        assert_eq!(stop.try_recv(), Ok(ControlReply::Refused(RefusedRequest::Over)));
        assert_eq!(now.try_recv(), Ok(ControlReply::Accepted(AcceptedRequest::Ends)));
        assert!(!queue.reject_new(), "they have been heard");
    }
}
