//! The event loop between the terminal, the screens and the feeds.
//!
//! It waits for a key, news, a signal, or the next second if a clock is shown. It handles all
//! pending events and draws changes with a limited frame rate.

mod clipboard;
mod frame_timer;
mod loop_remote;
mod terminal_screen;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::app::{App, WatchSettings};
use crate::feed::Feed;
use crate::msg::{Cmd, Msg};
use crate::run_source::RunSource;
use crate::update::update;

use self::frame_timer::FrameTimer;
use self::loop_remote::LoopWake;
pub use self::loop_remote::{LoopInbox, LoopRemote};
use self::terminal_screen::TerminalScreen;

/// Interval of clock ticks.
const TICK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of messages handled before keys are polled again. It exceeds the capacity of the
/// queue, so that no message remains after its wake-up was consumed.
const MAX_MESSAGES_PER_TURN: usize = 8;

/// Runs the TUI until the user quits or [`LoopRemote::leave`] is called. The terminal is restored
/// in every case. Returns the message to print afterwards.
///
/// `suspend_process` stops this process until it is continued.
pub fn run(
    source: &Arc<dyn RunSource>,
    settings: WatchSettings,
    inbox: LoopInbox,
    stand_still: &dyn Fn(),
) -> io::Result<Option<String>> {
    let LoopInbox { wakes, waker } = inbox;
    let keeps_colors = settings.style.colored;
    let wake = waker.clone();
    let feed = Feed::start(source, keeps_colors, move || {
        // During exit the receiver may be gone.
        let _ = wake.send(LoopWake::Feed);
    })?;
    let screen = TerminalScreen::enter()?;
    read_keys(waker)?;
    let (app, first) = App::begin(settings);
    let mut watching = WatchLoop {
        source: &**source,
        app,
        feed,
        screen,
        suspend_process: stand_still,
        frames: FrameTimer::new(Instant::now()),
        ticked: Instant::now(),
        is_leaving: false,
    };
    watching.perform(first)?;
    watching.run(&wakes)?;
    Ok(watching.app.exit_message())
}

/// Forwards terminal events from a thread that ends with the program.
fn read_keys(wakes: Sender<LoopWake>) -> io::Result<()> {
    let forward = move || {
        loop {
            let wake = match crossterm::event::read() {
                Ok(event) => LoopWake::Terminal(event),
                Err(error) => LoopWake::TerminalGone(error),
            };
            let is_last = matches!(wake, LoopWake::TerminalGone(_));
            if wakes.send(wake).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().spawn(forward).map(drop)
}

struct WatchLoop<'a> {
    source: &'a dyn RunSource,
    app: App,
    feed: Feed,
    screen: TerminalScreen,
    suspend_process: &'a dyn Fn(),
    frames: FrameTimer,
    ticked: Instant,
    is_leaving: bool,
}

impl WatchLoop<'_> {
    fn run(&mut self, wakes: &Receiver<LoopWake>) -> io::Result<()> {
        while !self.is_leaving {
            if self.app.take_changed() {
                self.frames.request_frame();
            }
            if self.frames.is_due(Instant::now()) {
                self.screen.draw(&self.app)?;
                self.frames.frame_drawn(Instant::now());
            }
            if let Some(wake) = self.wait(wakes) {
                self.handle_wake(wake)?;
                // All further pending events are handled before the next frame.
                while let Ok(wake) = wakes.try_recv() {
                    self.handle_wake(wake)?;
                }
            }
            self.take_in_messages()?;
            self.poll_clock()?;
        }
        Ok(())
    }

    /// Waits for an event, the next frame or the next tick.
    fn wait(&self, wakes: &Receiver<LoopWake>) -> Option<LoopWake> {
        let tick = self.app.has_clock().then(|| self.ticked + TICK_INTERVAL);
        let until = [tick, self.frames.next()].into_iter().flatten().min();
        let Some(until) = until else {
            // The thread that reads keys holds a sender, so the channel stays open.
            return wakes.recv().ok();
        };
        wakes.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    fn handle_wake(&mut self, wake: LoopWake) -> io::Result<()> {
        match wake {
            LoopWake::Terminal(event) => self.handle_message(Msg::Terminal(event)),
            LoopWake::TerminalGone(error) => Err(error),
            // Messages are received below.
            LoopWake::Feed => Ok(()),
            LoopWake::Leave => {
                self.is_leaving = true;
                Ok(())
            }
            LoopWake::Suspend => self.suspend(),
            LoopWake::Redraw => self.redraw(),
        }
    }

    fn take_in_messages(&mut self) -> io::Result<()> {
        for _ in 0..MAX_MESSAGES_PER_TURN {
            let Some(message) = self.feed.try_receive() else { break };
            self.handle_message(message)?;
        }
        Ok(())
    }

    fn poll_clock(&mut self) -> io::Result<()> {
        if self.app.has_clock() && self.ticked.elapsed() >= TICK_INTERVAL {
            self.ticked = Instant::now();
            self.handle_message(Msg::Tick(self.source.now()))?;
        }
        Ok(())
    }

    fn handle_message(&mut self, message: Msg) -> io::Result<()> {
        let commands = update(&mut self.app, message);
        self.perform(commands)
    }

    fn perform(&mut self, commands: Vec<Cmd>) -> io::Result<()> {
        for command in commands {
            match command {
                Cmd::Quit => self.is_leaving = true,
                Cmd::Suspend => self.suspend()?,
                Cmd::Redraw => self.redraw()?,
                Cmd::Copy(text) => self.screen.copy(&text)?,
                Cmd::CaptureMouse(is_wanted) => self.screen.capture_mouse(is_wanted)?,
                command => self.feed.execute(command),
            }
        }
        Ok(())
    }

    fn redraw(&mut self) -> io::Result<()> {
        // The shell may have changed terminal modes meanwhile.
        self.screen.suspend()?;
        self.screen.resume()?;
        self.frames.request_frame();
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.screen.suspend()?;
        (self.suspend_process)();
        self.screen.resume()?;
        self.frames.request_frame();
        self.handle_message(Msg::Tick(self.source.now()))
    }
}
