//! The proof for rewinds: kills `forkhestra rewind` at every call. The work tree must then be as
//! before or as after it, or the undo must restore the state before.

mod prove_rewinds;
mod rewind_proof_project;
mod rewind_trial;

pub(super) use self::prove_rewinds::run;
