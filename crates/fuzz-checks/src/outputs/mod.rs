//! Output of other programs: agents, checks, git and the kernel.

mod agent_stderr;
mod agent_stream;
mod check_result;
mod git_output;
mod kernel_output;
mod program_output;

pub use agent_stderr::agent_stderr;
pub use agent_stream::agent_stream;
pub use check_result::check_result;
pub use git_output::git_output;
pub use kernel_output::kernel_output;
pub use program_output::program_output;
