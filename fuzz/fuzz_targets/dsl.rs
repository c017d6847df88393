//! libFuzzer calls [`fuzz_checks::dsl`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::dsl(data));
