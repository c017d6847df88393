//! Tests of the gauge of a working pump.

use std::io::{self, Read, Write};
use std::thread;
use std::time::Instant;

use super::support::{MemorySink, PipeSink, PumpBench, until};

#[test]
fn a_pump_is_blocked_while_its_outlet_is_not_read() {
    let (mut screen, sink) = PipeSink::new(true);
    let bench = PumpBench::new(sink);
    let gauge = bench.pump.gauge();
    assert!(!gauge.is_blocked() && gauge.bytes() == 0);

    let (reader, mut agent) = io::pipe().expect("a pipe");
    bench.run(1, reader, &MemorySink::default());
    let limit = 1_000_000;
    let printed = thread::spawn(move || agent.write_all(&vec![b'x'; limit]).map(|()| agent));
    // More than the sink's pipe holds even after it was enlarged, so the pump still holds some
    // bytes.
    until(|| gauge.bytes() > 256 * 1024);
    assert!(gauge.is_blocked());
    let blocked_at = Instant::now();
    assert!(gauge.last_activity() < blocked_at);

    screen.read_exact(&mut vec![0; limit]).expect("everything that was printed");
    let agent = printed.join().expect("no panic").expect("a reader");
    until(|| gauge.bytes() == limit as u64);
    until(|| !gauge.is_blocked());
    assert!(gauge.last_activity() > blocked_at, "being blocked is no silence");
    drop(agent);
    bench.ended();
}
