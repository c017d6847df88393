//! Detects a signal that arrived twice: directly and through the guard.
//!
//! A sender that signals every process of a run (`pkill`, a service manager) signals both the guard
//! and the runner. The guard forwards its signal, so the runner receives the same request twice. A
//! terminal signals the guard only.

use std::time::Duration;

use crate::signal::ReceivedSignal;

/// The largest interval between the two arrivals. It is much longer than forwarding takes: merging
/// two requests costs a moment, but counting one request twice kills agents without their grace
/// period.
const DEDUP_WINDOW: Duration = Duration::from_secs(2);

/// The route by which a signal arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalRoute {
    /// From the sender itself.
    Direct,
    /// Forwarded by the guard.
    ByGuard,
}

/// A signal with its route and time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalArrival {
    pub(crate) signal: ReceivedSignal,
    pub(crate) route: SignalRoute,
    /// The time by a monotonic clock.
    pub(crate) at: Duration,
}

/// The requests that may still arrive by the other route.
#[derive(Debug, Default)]
pub(crate) struct SignalDedup {
    expected: Vec<SignalArrival>,
}

impl SignalDedup {
    /// Whether the same request has arrived by the other route before.
    pub(crate) fn is_duplicate(&mut self, arrival: SignalArrival) -> bool {
        match arrival.signal {
            ReceivedSignal::Interrupt
            | ReceivedSignal::Terminate
            | ReceivedSignal::Hangup
            | ReceivedSignal::Suspend => {}
            // A stop after a continue is a new request.
            ReceivedSignal::Continue => {
                self.take(ReceivedSignal::Suspend);
                return false;
            }
            ReceivedSignal::Child | ReceivedSignal::WindowChanged => return false,
        }
        let is_echo = self.take(arrival.signal).is_some_and(|earlier| {
            earlier.route != arrival.route && earlier.at.abs_diff(arrival.at) <= DEDUP_WINDOW
        });
        // A request has at most one duplicate, so the next arrival is a new request.
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

    /// Which of the arrivals are duplicates.
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
    fn a_request_by_both_routes_counts_once() {
        for signal in [
            ReceivedSignal::Interrupt,
            ReceivedSignal::Terminate,
            ReceivedSignal::Hangup,
            ReceivedSignal::Suspend,
        ] {
            let near = [(signal, Direct, 0), (signal, ByGuard, 1000)];
            assert_eq!(echoes(near), [false, true], "{signal:?}");
            let reversed = [(signal, ByGuard, 0), (signal, Direct, 1000)];
            assert_eq!(echoes(reversed), [false, true], "{signal:?}");
        }
    }

    #[test]
    fn requests_by_the_same_route_are_counted() {
        for way in [Direct, ByGuard] {
            let arrivals = [0, 1, 2].map(|millis| (ReceivedSignal::Interrupt, way, millis));
            assert_eq!(echoes(arrivals), [false; 3]);
        }
    }

    #[test]
    fn each_signal_can_be_sent_twice() {
        let ways = [(Direct, 0), (ByGuard, 1), (ByGuard, 2), (Direct, 3)];
        let arrivals = ways.map(|(way, millis)| (ReceivedSignal::Terminate, way, millis));
        assert_eq!(echoes(arrivals), [false, true, false, true]);
    }

    #[test]
    fn a_late_or_different_signal_is_no_duplicate() {
        let later =
            [(ReceivedSignal::Terminate, Direct, 0), (ReceivedSignal::Terminate, ByGuard, 5000)];
        assert_eq!(echoes(later), [false; 2]);
        let other =
            [(ReceivedSignal::Terminate, Direct, 0), (ReceivedSignal::Interrupt, ByGuard, 1)];
        assert_eq!(echoes(other), [false; 2]);
    }

    #[test]
    fn a_stop_after_a_continue_is_another_stop() {
        let arrivals = [
            (ReceivedSignal::Suspend, Direct, 0),
            (ReceivedSignal::Continue, Direct, 1),
            (ReceivedSignal::Suspend, ByGuard, 2),
        ];
        assert_eq!(echoes(arrivals), [false; 3]);
    }
}
