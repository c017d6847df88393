//! libFuzzer calls [`fuzz_checks::task_merge`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::task_merge(data));
