//! The commands: one file for each verb.

pub(crate) mod analysis;
pub(crate) mod bisect;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod fork;
pub(crate) mod generate;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod plan;
pub(crate) mod play_recording;
pub(crate) mod ralph;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod show;
pub(crate) mod steer;
pub(crate) mod time_travel;
pub(crate) mod watch;
