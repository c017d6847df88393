//! libFuzzer calls [`fuzz_checks::state_files`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::state_files(data));
