//! libFuzzer calls [`forkhestra_fuzz::agent_stream`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forkhestra_fuzz::agent_stream(data));
