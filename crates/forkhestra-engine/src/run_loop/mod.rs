//! The main loop: waits for inputs, runs the machine and performs its effects.

pub(crate) mod agents;
pub(crate) mod aux_jobs;
pub(crate) mod dispatcher;
pub(crate) mod loop_message;
pub(crate) mod operator_notices;
pub(crate) mod request_queue;
pub(crate) mod running_process;
