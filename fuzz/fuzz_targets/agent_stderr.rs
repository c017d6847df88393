//! libFuzzer calls [`fuzz_checks::agent_stderr`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::agent_stderr(data));
