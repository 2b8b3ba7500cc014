// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much is allocated.

use allocation_counter::{AllocationInfo, measure};

/// What is allocated when `work` is done again, after it has been done once.
pub fn steady(mut work: impl FnMut()) -> AllocationInfo {
    work();
    measure(work)
}

/// Holds that a decoder allocates nothing for bytes that come in portions that cut frames, and finds
/// at least so many items in them when they come twice.
pub fn assert_none(bytes: &[u8], least: usize, mut decode: impl FnMut(&mut &[u8]) -> bool) {
    let mut items = 0;
    let used = steady(|| {
        for portion in bytes.chunks(7) {
            let mut rest = portion;
            while decode(&mut rest) {
                items += 1;
            }
        }
    });
    assert!(items >= least, "{items}");
    assert_eq!(used.count_total, 0, "{used:?}");
}

#[test]
fn an_allocation_would_be_counted() {
    let used = measure(|| drop(std::hint::black_box(vec![0u8; 8])));
    assert_eq!(used.count_total, 1);
}
