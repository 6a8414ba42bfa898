//! Orders on smooth systems.

crate::order_tests! {
    moreau_jean: "moreau-jean", 2.0 +- 0.1, [8e-3, 4e-3, 2e-3, 1e-3];
}
