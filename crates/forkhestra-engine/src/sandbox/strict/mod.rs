//! The additions of the level `strict`: a hidden home directory, an environment by a list of names,
//! a filter of system calls, and a network of its own with a proxy.
//!
//! The sandbox has a network namespace without any interface but loopback. The first program in it
//! is forkhestra itself ([`enter`]): it opens a port on loopback, sends the listening socket to the
//! runner, installs the filter and becomes the agent. The runner accepts connections on that socket
//! and connects to allowed hosts only. So no process of forkhestra stays in the sandbox.

mod allowed_hosts;
mod passed_variables;
mod proxy_request;
mod sandbox_entry;
mod sandbox_proxy;
#[cfg(target_os = "linux")]
mod system_call_filter;

pub use sandbox_entry::{ENTRY_VERB, enter};

pub(super) use allowed_hosts::{AllowedHosts, REGISTRIES, hosts_of};
pub(super) use passed_variables::{hide_home, is_passed_on};
pub(super) use sandbox_entry::{
    PROXY_PORT, PROXY_SOCKET, WITH_PROXY, WITHOUT_PROXY, filters_calls,
};
pub(super) use sandbox_proxy::SandboxProxy;
