//! libFuzzer calls [`forkhestra_fuzz::task_file`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forkhestra_fuzz::task_file(data));
