//! An agent that tries to leave its sandbox, and the work that must be possible inside.

mod checks;
mod levels;
mod processes;
mod programs;
mod sandboxed_run;
mod start;
mod strict;
mod writes;
