//! Telling one request that reached us twice from two.
//!
//! Whoever signals every process of a run (`pkill`, a service manager) signals the guard and us. The
//! guard hands on what it gets, so we hear the same request once from the sender and once from the
//! guard. A person at a terminal reaches the guard alone, however often.

use std::time::Duration;

use crate::signal::ReceivedSignal;

/// How far apart the two can be. Much more than the guard takes to hand something on: to take two
/// requests for one costs a moment, to take one for two costs agents their time to end well.
const APART: Duration = Duration::from_secs(2);

/// How a signal came to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalRoute {
    /// From whoever wants something.
    Direct,
    /// Handed on by the guard.
    ByGuard,
}

/// A signal that came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalArrival {
    pub(crate) signal: ReceivedSignal,
    pub(crate) route: SignalRoute,
    /// When, by a clock that only goes forward.
    pub(crate) at: Duration,
}

/// The requests that may still come by the other way.
#[derive(Debug, Default)]
pub(crate) struct SignalDedup {
    expected: Vec<SignalArrival>,
}

impl SignalDedup {
    /// Whether this is what we heard before, come by the other way.
    pub(crate) fn is_duplicate(&mut self, arrival: SignalArrival) -> bool {
        match arrival.signal {
            ReceivedSignal::Interrupt
            | ReceivedSignal::Terminate
            | ReceivedSignal::Hangup
            | ReceivedSignal::Stop => {}
            // Who stops after this wants to stop again.
            ReceivedSignal::Continue => {
                self.take(ReceivedSignal::Stop);
                return false;
            }
            ReceivedSignal::Child | ReceivedSignal::WindowChanged => return false,
        }
        let is_echo = self.take(arrival.signal).is_some_and(|earlier| {
            earlier.route != arrival.route && earlier.at.abs_diff(arrival.at) <= APART
        });
        // A request has one echo, so what comes after that is another request.
        if !is_echo {
            self.expected.push(arrival);
        }
        is_echo
    }

    fn take(&mut self, signal: ReceivedSignal) -> Option<SignalArrival> {
        let at = self.expected.iter().position(|earlier| earlier.signal == signal)?;
        Some(self.expected.swap_remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::SignalRoute::{ByGuard, Direct};
    use super::*;

    /// Which of these are echoes.
    fn echoes<const N: usize>(arrivals: [(ReceivedSignal, SignalRoute, u64); N]) -> [bool; N] {
        let mut echoes = SignalDedup::default();
        arrivals.map(|(signal, way, millis)| {
            echoes.is_duplicate(SignalArrival {
                signal,
                route: way,
                at: Duration::from_millis(millis),
            })
        })
    }

    #[test]
    fn a_request_that_comes_by_both_ways_is_one() {
        for signal in [
            ReceivedSignal::Interrupt,
            ReceivedSignal::Terminate,
            ReceivedSignal::Hangup,
            ReceivedSignal::Stop,
        ] {
            let near = [(signal, Direct, 0), (signal, ByGuard, 1000)];
            assert_eq!(echoes(near), [false, true], "{signal:?}");
            let reversed = [(signal, ByGuard, 0), (signal, Direct, 1000)];
            assert_eq!(echoes(reversed), [false, true], "{signal:?}");
        }
    }

    #[test]
    fn requests_that_come_by_the_same_way_are_as_many_as_they_are() {
        for way in [Direct, ByGuard] {
            let arrivals = [0, 1, 2].map(|millis| (ReceivedSignal::Interrupt, way, millis));
            assert_eq!(echoes(arrivals), [false; 3]);
        }
    }

    #[test]
    fn everybody_can_be_asked_twice() {
        let ways = [(Direct, 0), (ByGuard, 1), (ByGuard, 2), (Direct, 3)];
        let arrivals = ways.map(|(way, millis)| (ReceivedSignal::Terminate, way, millis));
        assert_eq!(echoes(arrivals), [false, true, false, true]);
    }

    #[test]
    fn what_comes_much_later_or_says_something_else_is_no_echo() {
        let later =
            [(ReceivedSignal::Terminate, Direct, 0), (ReceivedSignal::Terminate, ByGuard, 5000)];
        assert_eq!(echoes(later), [false; 2]);
        let other =
            [(ReceivedSignal::Terminate, Direct, 0), (ReceivedSignal::Interrupt, ByGuard, 1)];
        assert_eq!(echoes(other), [false; 2]);
    }

    #[test]
    fn a_stop_after_going_on_is_another_stop() {
        let arrivals = [
            (ReceivedSignal::Stop, Direct, 0),
            (ReceivedSignal::Continue, Direct, 1),
            (ReceivedSignal::Stop, ByGuard, 2),
        ];
        assert_eq!(echoes(arrivals), [false; 3]);
    }
}
