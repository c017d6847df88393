//! libFuzzer calls [`fuzz_checks::journal`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::journal(data));
