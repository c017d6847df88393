//! libFuzzer calls [`fuzz_checks::kernel_output`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::kernel_output(data));
