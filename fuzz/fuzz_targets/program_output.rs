//! libFuzzer calls [`fuzz_checks::program_output`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::program_output(data));
