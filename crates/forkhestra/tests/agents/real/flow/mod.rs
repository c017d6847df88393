//! Rounds and questions with the real programs.

mod approval;
mod reviewed_build;
mod rounds;
