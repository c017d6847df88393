//! Tests of checks with the installed shells and runners.

mod built_in;
mod modules;
mod scripts;
