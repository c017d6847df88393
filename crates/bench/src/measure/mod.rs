//! Running and observing the measured programs.

pub(crate) mod background_run;
pub(crate) mod bench_dir;
pub(crate) mod cpu_time;
pub(crate) mod exact;
pub(crate) mod fake_claude;
pub(crate) mod loop_comparison;
pub(crate) mod measured_programs;
pub(crate) mod median;
pub(crate) mod resource_usage;
pub(crate) mod strace;
pub(crate) mod viewer;
pub(crate) mod watched_run;
