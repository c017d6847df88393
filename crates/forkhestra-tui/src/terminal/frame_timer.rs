//! When to draw.

use std::time::{Duration, Instant};

/// No frame is shown for less than this.
const SHORTEST: Duration = Duration::from_millis(33);

/// When to draw: whenever something has changed, but not all the time.
#[derive(Debug)]
pub(super) struct FrameTimer {
    is_wanted: bool,
    /// The earliest moment for the next one.
    earliest: Instant,
}

impl FrameTimer {
    /// Nothing was drawn yet.
    pub(super) const fn new(now: Instant) -> Self {
        Self { is_wanted: false, earliest: now }
    }

    /// Takes note that something has changed.
    pub(super) const fn request_frame(&mut self) {
        self.is_wanted = true;
    }

    /// Whether to draw now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.next().is_some_and(|next| next <= now)
    }

    /// Takes note that it was drawn.
    pub(super) fn frame_drawn(&mut self, now: Instant) {
        self.is_wanted = false;
        self.earliest = now + SHORTEST;
    }

    /// When to draw next; none before anything changes.
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
        assert!(!frames.is_due(now + SHORTEST * 9) && frames.next().is_none());
    }

    #[test]
    fn many_changes_are_one_frame() {
        let now = Instant::now();
        let mut frames = FrameTimer::new(now);
        frames.frame_drawn(now);
        frames.request_frame();
        frames.request_frame();
        assert!(!frames.is_due(now + SHORTEST / 2));
        assert_eq!(frames.next(), Some(now + SHORTEST));
        assert!(frames.is_due(now + SHORTEST));
    }
}
