//! A tail file on a full disk, simulated by a file that must not grow.

use std::fs::File;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

use super::super::tail::TailWriter;
use super::super::tail_header::{TailLayout, read_end};
use super::output;

#[test]
fn a_tail_without_space_does_not_claim_the_bytes() {
    let file = memfd_create("tail", MemfdFlags::ALLOW_SEALING).expect("a file in memory");
    let file = File::from(file);
    let layout = TailLayout { from: 50, size: 100, spare: 20 };
    let mut tail =
        TailWriter::new(Box::new(file.try_clone().expect("a file")), layout).expect("room");
    tail.append(&output(30)).expect("room");
    fcntl_add_seals(&file, SealFlags::GROW).expect("a file that can be sealed");
    tail.append(&output(30)).expect_err("no room");
    assert_eq!(read_end(&file).expect("a header"), 80);
}
