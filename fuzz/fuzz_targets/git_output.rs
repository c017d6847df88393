//! libFuzzer calls [`fuzz_checks::git_output`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::git_output(data));
