//! libFuzzer calls [`fuzz_checks::check_result`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::check_result(data));
