//! Checks the protocol of the control socket.

use forkhestra_store::control::wire::{
    WireReply, decode_reply, decode_request, encode_reply, encode_request,
};

/// A line is a request or a reply that survives a round trip, or it is rejected with a short message.
pub fn control(line: &[u8]) {
    match decode_request(line) {
        Ok(request) => {
            let again = encode_request(&request);
            assert_eq!(decode_request(again.trim_end().as_bytes()), Ok(request));
        }
        Err(error) => assert!(error.to_string().len() < 1000, "{error}"),
    }
    if let Ok(reply) = decode_reply(line) {
        let again = encode_reply(reply.clone());
        let again: WireReply = decode_reply(again.trim_end().as_bytes()).expect("it was a reply");
        assert_eq!(again, reply);
    }
}
