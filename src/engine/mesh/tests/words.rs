//! Numbers and texts in messages.

use proptest::prelude::*;

use crate::mesh::words::{Words, put, put_bytes};

proptest! {
    #[test]
    fn what_is_written_is_read(
        parts in prop::collection::vec((any::<u64>(), prop::collection::vec(any::<u8>(), 0..300)), 0..8),
    ) {
        let mut message = Vec::new();
        for (number, bytes) in &parts {
            put(&mut message, *number);
            put_bytes(&mut message, bytes);
        }
        let mut words = Words(&message);
        for (number, bytes) in &parts {
            prop_assert_eq!(words.number(), Some(*number));
            prop_assert_eq!(words.bytes(), Some(&bytes[..]));
        }
        prop_assert!(words.is_over());
        prop_assert_eq!(words.number(), None);
    }

    #[test]
    fn garbage_is_read_without_harm(message in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut words = Words(&message);
        while words.bytes().is_some() || words.number().is_some() {}
    }
}

#[test]
fn a_number_of_more_bits_than_fit_is_none() {
    let mut message = vec![0xff; 9];
    message.push(1);
    assert_eq!(Words(&message).number(), Some(u64::MAX));
    message[9] = 2;
    assert_eq!(Words(&message).number(), None);
    message[9] = 0x81;
    message.push(0);
    assert_eq!(Words(&message).number(), None);
}
