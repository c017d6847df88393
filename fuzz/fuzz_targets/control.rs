//! libFuzzer calls [`fuzz_checks::control`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::control(data));
