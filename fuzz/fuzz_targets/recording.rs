//! libFuzzer calls [`fuzz_checks::recording`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::recording(data));
