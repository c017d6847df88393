//! libFuzzer calls [`fuzz_checks::scan`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::scan(data));
