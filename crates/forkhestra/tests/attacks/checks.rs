//! An agent that makes a check pass without doing the work.

mod calibration;
mod files;
mod programs;
mod room_home;
mod scripts;
mod tasks;
