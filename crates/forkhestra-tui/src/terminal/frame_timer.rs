//! Limits the frame rate.

use std::time::{Duration, Instant};

/// Minimum time between two frames.
const MIN_FRAME_INTERVAL: Duration = Duration::from_millis(33);

/// Decides when to draw: after each change, with a limited frame rate.
#[derive(Debug)]
pub(super) struct FrameTimer {
    is_wanted: bool,
    /// The earliest time of the next frame.
    earliest: Instant,
}

impl FrameTimer {
    /// Creates a timer before the first frame.
    pub(super) const fn new(now: Instant) -> Self {
        Self { is_wanted: false, earliest: now }
    }

    /// Records a change.
    pub(super) const fn request_frame(&mut self) {
        self.is_wanted = true;
    }

    /// Whether to draw now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.next().is_some_and(|next| next <= now)
    }

    /// Records that a frame was drawn.
    pub(super) fn frame_drawn(&mut self, now: Instant) {
        self.is_wanted = false;
        self.earliest = now + MIN_FRAME_INTERVAL;
    }

    /// When to draw next; none without a change.
    pub(super) fn next(&self) -> Option<Instant> {
        self.is_wanted.then_some(self.earliest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_without_a_change() {
        let now = Instant::now();
        let mut frames = FrameTimer::new(now);
        assert!(!frames.is_due(now) && frames.next().is_none());
        frames.request_frame();
        assert!(frames.is_due(now));
        frames.frame_drawn(now);
        assert!(!frames.is_due(now + MIN_FRAME_INTERVAL * 9) && frames.next().is_none());
    }

    #[test]
    fn many_changes_are_one_frame() {
        let now = Instant::now();
        let mut frames = FrameTimer::new(now);
        frames.frame_drawn(now);
        frames.request_frame();
        frames.request_frame();
        assert!(!frames.is_due(now + MIN_FRAME_INTERVAL / 2));
        assert_eq!(frames.next(), Some(now + MIN_FRAME_INTERVAL));
        assert!(frames.is_due(now + MIN_FRAME_INTERVAL));
    }
}
