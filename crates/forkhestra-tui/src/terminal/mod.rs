//! The loop between a person at a terminal, the screens, and the world.
//!
//! It waits until something comes: a key, news, a signal, or the next second where a clock is shown.
//! Whatever came is taken in, and what has changed is drawn, but not more often than anybody can see.

mod clipboard;
mod drawing;
mod frames;
mod remote;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::app::{App, Settings};
use crate::feed::Feed;
use crate::msg::{Cmd, Msg};
use crate::update::update;
use crate::world::World;

use self::drawing::Screen;
use self::frames::Frames;
use self::remote::Wake;
pub use self::remote::{Inbox, Remote};

/// How often a clock is looked at.
const TICK: Duration = Duration::from_secs(1);
/// So many messages are taken in before a key is looked for again. No more than this can wait, so that
/// none is left whose wake has been heard.
const AT_ONCE: usize = 8;

/// Watches, until the person leaves or somebody else wants us to. Whatever becomes of it, the terminal
/// is left as it was. What is to be said to them then is handed back.
///
/// `stand_still` stops this process until somebody continues it.
pub fn run(
    world: &Arc<dyn World>,
    settings: Settings,
    inbox: Inbox,
    stand_still: &dyn Fn(),
) -> io::Result<Option<String>> {
    let Inbox { wakes, waker } = inbox;
    let keeps_colors = settings.ink.colored;
    let wake = waker.clone();
    let feed = Feed::start(world, keeps_colors, move || {
        // Nobody waits any more once we are leaving.
        let _ = wake.send(Wake::Feed);
    });
    let screen = Screen::enter()?;
    read_keys(waker);
    let (app, first) = App::begin(settings);
    let mut watching = Watching {
        world: &**world,
        app,
        feed,
        screen,
        stand_still,
        frames: Frames::new(Instant::now()),
        ticked: Instant::now(),
        is_leaving: false,
    };
    watching.perform(first)?;
    watching.go_on(&wakes)?;
    Ok(watching.app.farewell())
}

/// Hands on what the person does, from a thread of its own that ends with the program.
fn read_keys(wakes: Sender<Wake>) {
    thread::spawn(move || {
        loop {
            let wake = match crossterm::event::read() {
                Ok(event) => Wake::Terminal(event),
                Err(error) => Wake::TerminalGone(error),
            };
            let is_last = matches!(wake, Wake::TerminalGone(_));
            if wakes.send(wake).is_err() || is_last {
                return;
            }
        }
    });
}

struct Watching<'a> {
    world: &'a dyn World,
    app: App,
    feed: Feed,
    screen: Screen,
    stand_still: &'a dyn Fn(),
    frames: Frames,
    ticked: Instant,
    is_leaving: bool,
}

impl Watching<'_> {
    fn go_on(&mut self, wakes: &Receiver<Wake>) -> io::Result<()> {
        while !self.is_leaving {
            if self.app.take_changed() {
                self.frames.want();
            }
            if self.frames.is_due(Instant::now()) {
                self.screen.draw(&self.app)?;
                self.frames.drawn(Instant::now());
            }
            if let Some(wake) = self.wait(wakes) {
                self.hear(wake)?;
                // Everything else that came meanwhile is seen at once.
                while let Ok(wake) = wakes.try_recv() {
                    self.hear(wake)?;
                }
            }
            self.take_in_messages()?;
            self.look_at_clock()?;
        }
        Ok(())
    }

    /// Waits for something to come, or for the time to draw or to look at the clock.
    fn wait(&self, wakes: &Receiver<Wake>) -> Option<Wake> {
        let tick = self.app.has_clock().then(|| self.ticked + TICK);
        let until = [tick, self.frames.next()].into_iter().flatten().min();
        let Some(until) = until else {
            // We hold a sender ourselves, through the thread that reads keys.
            return wakes.recv().ok();
        };
        wakes.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    fn hear(&mut self, wake: Wake) -> io::Result<()> {
        match wake {
            Wake::Terminal(event) => self.tell(Msg::Terminal(event)),
            Wake::TerminalGone(error) => Err(error),
            // Looked for below, whoever announced it.
            Wake::Feed => Ok(()),
            Wake::Leave => {
                self.is_leaving = true;
                Ok(())
            }
            Wake::Suspend => self.suspend(),
            Wake::Redraw => self.redraw(),
        }
    }

    fn take_in_messages(&mut self) -> io::Result<()> {
        for _ in 0..AT_ONCE {
            let Some(message) = self.feed.message() else { break };
            self.tell(message)?;
        }
        Ok(())
    }

    fn look_at_clock(&mut self) -> io::Result<()> {
        if self.app.has_clock() && self.ticked.elapsed() >= TICK {
            self.ticked = Instant::now();
            self.tell(Msg::Tick(self.world.now()))?;
        }
        Ok(())
    }

    fn tell(&mut self, message: Msg) -> io::Result<()> {
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
                command => self.feed.perform(command),
            }
        }
        Ok(())
    }

    fn redraw(&mut self) -> io::Result<()> {
        // The shell may have set its own modes meanwhile.
        self.screen.stand_aside()?;
        self.screen.come_back()?;
        self.frames.want();
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.screen.stand_aside()?;
        (self.stand_still)();
        self.screen.come_back()?;
        self.frames.want();
        self.tell(Msg::Tick(self.world.now()))
    }
}
