//! The memory of a process, held to a budget.

use acp_testkit::{Meter, MeterFault};

/// Other tests of this process may take memory at the same time, so nothing bounds it from above.
#[test]
fn a_meter_sees_memory_that_is_used_and_kept() {
    const USED: usize = 64 * 1024 * 1024;
    let meter = Meter::new().unwrap();
    let used = vec![1_u8; USED];
    assert!(matches!(meter.stayed_below(USED / 4), Err(MeterFault::Grown { .. })));
    assert!(matches!(meter.stayed_within(USED * 8), Err(MeterFault::Unused { .. })));
    let fault = meter.is_given_back().unwrap_err();
    assert!(
        matches!(fault, MeterFault::Kept { .. }) && fault.to_string().ends_with("still there"),
        "{fault}"
    );
    drop(used);
}
