//! An agent that tries to leave its sandbox, and the work that must be possible inside.

mod boxed_run;
mod checks;
mod levels;
mod processes;
mod programs;
mod start;
mod strict;
mod writes;
