//! A pseudo terminal with a user's end.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Both ends of a pseudo terminal: that of the user, and that of the programs.
#[derive(Debug)]
pub struct PseudoTerminal {
    person: OwnedFd,
    programs: Option<OwnedFd>,
}

impl PseudoTerminal {
    /// The byte of Ctrl-C.
    pub const CONTROL_C: u8 = 3;
    /// The byte of Ctrl-Z.
    pub const CONTROL_Z: u8 = 26;

    /// A terminal without echo that stops background processes which write to it.
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

    /// The programs' end, for a child process.
    pub fn stdio(&self) -> Stdio {
        let programs = self.programs.as_ref().expect("it has not been handed over yet");
        Stdio::from(programs.try_clone().expect("it is open"))
    }

    /// Closes the programs' end in this process, so that it ends with the programs.
    pub fn hand_over(&mut self) {
        self.programs = None;
    }

    /// A descriptor of the user's end.
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
