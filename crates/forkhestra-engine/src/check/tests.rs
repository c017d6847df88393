//! Checks as they are run, with the shells and runners that are here.

mod built_in;
mod modules;
mod scripts;
