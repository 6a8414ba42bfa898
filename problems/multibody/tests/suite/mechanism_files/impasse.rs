//! Sliding that comes to where friction leaves no forces: bodies lock at once.

use super::dry_friction::end;

/// Two joints with friction and a sliding contact: the friction presses the joints, and solutions end in a fold 14.8 ms after `joint0` has
/// begun to slide. Impulses stop everything there. `bdf` and
/// `generalized-alpha` may come to other impulses, which stop less.
#[test]
fn a_mechanism_comes_to_lock_itself() {
    for method in ["radau5", "hem5", "dopri5", "dop853"] {
        let text = include_str!("found/comes-to-lock-itself.toml");
        let (_, state) = end(text, method, 0.776_699_222);
        for (body, [x, y]) in [
            (0, [0.224_682_8, -0.128_060_4]),
            (1, [0.399_625_4, -0.092_747_7]),
        ] {
            let q = &state.q[12 * body..];
            assert!((q[0] - x).abs() < 1e-6, "{method}: {q:?}");
            assert!((q[1] - y).abs() < 1e-6, "{method}: {q:?}");
        }
        assert!(
            state.v.iter().all(|v| v.abs() < 1e-8),
            "{method}: {:?}",
            state.v
        );
    }
}

/// A contact that slides where its friction draws it in (Painlevé's case), in space, below a chain of joints that rub.
#[test]
fn a_slide_that_is_drawn_in_stops() {
    for method in ["radau5", "bdf", "hem5", "dopri5"] {
        let text = include_str!("found/painleve-in-space.toml");
        let (_, state) = end(text, method, 0.389_077);
        assert!(
            (state.q[0] + 0.198_52).abs() < 2e-5,
            "{method}: {:?}",
            state.q
        );
        assert!(
            (state.q[1] - 0.409_11).abs() < 2e-5,
            "{method}: {:?}",
            state.q
        );
    }
}
