//! A terminal, with a person before it.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Both ends of a terminal: the keyboard and screen of a person, and what programs have open.
#[derive(Debug)]
pub struct PseudoTerminal {
    person: OwnedFd,
    programs: Option<OwnedFd>,
}

impl PseudoTerminal {
    /// What Ctrl-C sends.
    pub const CONTROL_C: u8 = 3;
    /// What Ctrl-Z sends.
    pub const CONTROL_Z: u8 = 26;

    /// A terminal that echoes nothing and stops whoever writes from the background.
    pub fn open() -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("there are terminals");
        grantpt(&person).expect("it is ours");
        unlockpt(&person).expect("it is ours");
        let name = ptsname(&person, Vec::new()).expect("it has a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let programs = rustix::fs::open(&name, flags, Mode::empty()).expect("it is unlocked");
        let mut modes = tcgetattr(&programs).expect("it is a terminal");
        modes.local_modes.insert(LocalModes::TOSTOP);
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&programs, OptionalActions::Now, &modes).expect("it is a terminal");
        Self { person, programs: Some(programs) }
    }

    /// The terminal as a program has it.
    pub fn stdio(&self) -> Stdio {
        let programs = self.programs.as_ref().expect("it has not been handed over yet");
        Stdio::from(programs.try_clone().expect("it is open"))
    }

    /// Keeps only the person's end, so that the programs' end goes with the programs.
    pub fn hand_over(&mut self) {
        self.programs = None;
    }

    /// What the person sees.
    pub fn screen(&self) -> OwnedFd {
        self.person.as_fd().try_clone_to_owned().expect("it is open")
    }

    /// Presses one key.
    pub fn press(&self, key: u8) {
        self.type_in(&[key]);
    }

    /// Presses these keys.
    pub fn type_in(&self, keys: &[u8]) {
        let mut keyboard = File::from(self.screen());
        keyboard.write_all(keys).expect("the terminal is there");
    }
}
