//! What people want of a run while it goes on.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::Receiver;

use forkhestra_core::control::{Accepted, Refused, Reply, Request};

/// A request, and the way back to whoever made it.
pub struct Asked {
    /// What is wanted.
    pub request: Request,
    /// Is called once with what comes of it, by the loop, which it must not keep. It is dropped without
    /// a word only if the run is over.
    pub answer: Box<dyn FnOnce(Reply) + Send>,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("request", &self.request).finish_non_exhaustive()
    }
}

/// Those who are waiting for an answer.
#[derive(Default)]
pub(crate) struct Desk {
    requests: Option<Receiver<Asked>>,
    waiting: BTreeMap<u64, Box<dyn FnOnce(Reply) + Send>>,
    tickets: u64,
}

impl Desk {
    pub(crate) fn new(requests: Option<Receiver<Asked>>) -> Self {
        Self { requests, ..Self::default() }
    }

    /// The next request, with the ticket by which it is answered.
    pub(crate) fn next(&mut self) -> Option<(u64, Request)> {
        let Asked { request, answer } = self.requests.as_ref()?.try_recv().ok()?;
        self.tickets += 1;
        self.waiting.insert(self.tickets, answer);
        Some((self.tickets, request))
    }

    /// Answers whoever has a ticket.
    pub(crate) fn answer(&mut self, ticket: u64, reply: Reply) {
        if let Some(answer) = self.waiting.remove(&ticket) {
            answer(reply);
        }
    }

    /// Tells everybody who has come since the run was over that it is, but whoever wants its process to
    /// end gets his way. Says whether somebody does.
    pub(crate) fn turn_away(&mut self) -> bool {
        let mut shall_end = false;
        while let Some((ticket, request)) = self.next() {
            let reply = match request {
                Request::StopNow => Reply::Accepted(Accepted::Ends),
                _ => Reply::Refused(Refused::Over),
            };
            shall_end |= request == Request::StopNow;
            self.answer(ticket, reply);
        }
        shall_end
    }

    /// Tells everybody who is still waiting that the run is over. Who comes later finds nobody.
    pub(crate) fn close(&mut self) {
        self.dismiss();
        self.requests = None;
    }

    /// Tells everybody who is still waiting that the run is over.
    pub(crate) fn dismiss(&mut self) {
        while self.next().is_some() {}
        for answer in std::mem::take(&mut self.waiting).into_values() {
            answer(Reply::Refused(Refused::Over));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    fn ask(desk: &Sender<Asked>, request: Request) -> Receiver<Reply> {
        let (answers, answer) = channel();
        let answer_with = Box::new(move |reply| answers.send(reply).expect("it is waited for"));
        desk.send(Asked { request, answer: answer_with }).expect("somebody is there");
        answer
    }

    #[test]
    fn everybody_gets_the_answer_to_their_own_request() {
        let (sender, receiver) = channel();
        let mut desk = Desk::new(Some(receiver));
        let (first, second) = (ask(&sender, Request::Pause), ask(&sender, Request::Skip));
        let (one, request) = desk.next().expect("somebody asked");
        assert_eq!(request, Request::Pause);
        let (two, request) = desk.next().expect("somebody asked");
        assert_eq!(request, Request::Skip);
        assert_eq!(desk.next(), None);
        desk.answer(two, Reply::Accepted(Accepted::Skips { step: 1 }));
        desk.answer(one, Reply::Accepted(Accepted::Paused));
        desk.answer(two, Reply::Accepted(Accepted::Continued));
        assert_eq!(first.try_iter().collect::<Vec<_>>(), [Reply::Accepted(Accepted::Paused)]);
        let skips = Reply::Accepted(Accepted::Skips { step: 1 });
        assert_eq!(second.try_iter().collect::<Vec<_>>(), [skips]);
    }

    #[test]
    fn whoever_is_left_is_told_that_the_run_is_over() {
        let (sender, receiver) = channel();
        let mut desk = Desk::new(Some(receiver));
        let heard = ask(&sender, Request::Stop);
        assert!(desk.next().is_some());
        let unheard = ask(&sender, Request::Stop);
        desk.close();
        for answer in [heard, unheard] {
            assert_eq!(answer.try_recv(), Ok(Reply::Refused(Refused::Over)));
        }
        let late = Asked { request: Request::Stop, answer: Box::new(drop) };
        assert!(sender.send(late).is_err(), "nobody is there");
    }

    #[test]
    fn whoever_wants_the_process_of_a_run_that_is_over_to_end_gets_his_way() {
        let (sender, receiver) = channel();
        let mut desk = Desk::new(Some(receiver));
        assert!(!desk.turn_away());
        let (stop, now) = (ask(&sender, Request::Stop), ask(&sender, Request::StopNow));
        assert!(desk.turn_away());
        assert_eq!(stop.try_recv(), Ok(Reply::Refused(Refused::Over)));
        assert_eq!(now.try_recv(), Ok(Reply::Accepted(Accepted::Ends)));
        assert!(!desk.turn_away(), "they have been heard");
    }
}
