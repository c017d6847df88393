//! Tests of pumps between real pipes.

mod abandon;
mod exact;
mod gauge;
#[cfg(target_os = "linux")]
mod linux;
mod losses;
mod markers;
mod support;
