//! Control requests to a run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::Receiver;

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest, RefusedRequest};

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

    fn ask(desk: &Sender<PendingRequest>, request: ControlRequest) -> Receiver<ControlReply> {
        let (answers, answer) = channel();
        let answer_with = Box::new(move |reply| answers.send(reply).expect("it is waited for"));
        desk.send(PendingRequest { request, answer: answer_with }).expect("somebody is there");
        answer
    }

    #[test]
    fn everybody_gets_the_answer_to_their_own_request() {
        let (sender, receiver) = channel();
        let mut desk = RequestQueue::new(Some(receiver));
        let (first, second) =
            (ask(&sender, ControlRequest::Pause), ask(&sender, ControlRequest::Skip));
        let (one, request) = desk.next().expect("somebody asked");
        assert_eq!(request, ControlRequest::Pause);
        let (two, request) = desk.next().expect("somebody asked");
        assert_eq!(request, ControlRequest::Skip);
        assert_eq!(desk.next(), None);
        desk.reply(two, ControlReply::Accepted(AcceptedRequest::Skips { step: 1 }));
        desk.reply(one, ControlReply::Accepted(AcceptedRequest::Paused));
        desk.reply(two, ControlReply::Accepted(AcceptedRequest::Continued));
        assert_eq!(
            first.try_iter().collect::<Vec<_>>(),
            [ControlReply::Accepted(AcceptedRequest::Paused)]
        );
        let skips = ControlReply::Accepted(AcceptedRequest::Skips { step: 1 });
        assert_eq!(second.try_iter().collect::<Vec<_>>(), [skips]);
    }

    #[test]
    fn whoever_is_left_is_told_that_the_run_is_over() {
        let (sender, receiver) = channel();
        let mut desk = RequestQueue::new(Some(receiver));
        let heard = ask(&sender, ControlRequest::Stop);
        assert!(desk.next().is_some());
        let unheard = ask(&sender, ControlRequest::Stop);
        desk.close();
        for answer in [heard, unheard] {
            assert_eq!(answer.try_recv(), Ok(ControlReply::Refused(RefusedRequest::Over)));
        }
        let late = PendingRequest { request: ControlRequest::Stop, answer: Box::new(drop) };
        assert!(sender.send(late).is_err(), "nobody is there");
    }

    #[test]
    fn whoever_wants_the_process_of_a_run_that_is_over_to_end_gets_his_way() {
        let (sender, receiver) = channel();
        let mut desk = RequestQueue::new(Some(receiver));
        assert!(!desk.reject_new());
        let (stop, now) =
            (ask(&sender, ControlRequest::Stop), ask(&sender, ControlRequest::StopNow));
        assert!(desk.reject_new());
        assert_eq!(stop.try_recv(), Ok(ControlReply::Refused(RefusedRequest::Over)));
        assert_eq!(now.try_recv(), Ok(ControlReply::Accepted(AcceptedRequest::Ends)));
        assert!(!desk.reject_new(), "they have been heard");
    }
}
