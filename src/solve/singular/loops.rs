//! Whether bodies and joints form loops.

use crate::system::Layout;

/// Whether constraint rows may come to depend on each other: somewhere in the graph of bodies and joints is a loop. In a tree each
/// joint acts on a body that no joint before it acts on, and the rows of one joint are taken for independent. Of one body, or of one
/// joint, only the layout can say that: all rows of a dense layout are one joint.
pub(in crate::solve) fn has_loops(layout: &Layout) -> bool {
    if layout.rows() < 2 || layout.dimension() == 0 {
        return false;
    }
    let (bodies, joints) = (&layout.blocks.variables, &layout.blocks.rows);
    let several = bodies.len() > 1 && joints.iter().filter(|&&size| size > 0).count() > 1;
    if !(several || layout.regular_joints) {
        return true;
    }
    let owner: Vec<usize> = bodies
        .iter()
        .enumerate()
        .flat_map(|(body, &size)| std::iter::repeat_n(body, size))
        .collect();
    // Bodies that are joined have the same root; the last number stands for the ground.
    let ground = bodies.len();
    let mut parent: Vec<usize> = (0..=ground).collect();
    fn root(parent: &mut [usize], mut body: usize) -> usize {
        while parent[body] != body {
            parent[body] = parent[parent[body]];
            body = parent[body];
        }
        body
    }
    let mut first = 0;
    // Bodies that the rows of this joint act on.
    for &size in joints {
        let mut touched: Vec<usize> = (first..first + size)
            .flat_map(|row| layout.jacobian.row(row))
            .map(|&column| owner[column])
            .collect();
        first += size;
        touched.sort_unstable();
        touched.dedup();
        if touched.len() == 1 {
            touched.push(ground);
        }
        // A joint between bodies already connected closes a loop.
        for pair in touched.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            if a == b {
                return true;
            }
            parent[a] = b;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Blocks, Pattern};
    use crate::manifold::Manifold;

    /// Plane bodies with two rows for every pair; `None` is the ground.
    fn layout(bodies: usize, joints: &[[Option<usize>; 2]]) -> Layout {
        let entries = joints.iter().enumerate().flat_map(|(joint, pair)| {
            let columns = pair
                .iter()
                .flatten()
                .flat_map(|&body| 3 * body..3 * body + 3);
            columns.flat_map(move |column| [(2 * joint, column), (2 * joint + 1, column)])
        });
        let rows = 2 * joints.len();
        Layout {
            jacobian: Pattern::from_entries(rows, 3 * bodies, entries).expect("inside"),
            blocks: Blocks {
                variables: vec![3; bodies],
                rows: vec![2; joints.len()],
            },
            ..Layout::dense(Manifold::euclidean(3 * bodies)).with_position_rows(rows)
        }
    }

    #[test]
    fn trees_have_none() {
        assert!(!has_loops(&layout(
            3,
            &[[None, Some(0)], [Some(0), Some(1)], [Some(0), Some(2)]]
        )));
        assert!(!has_loops(
            &layout(2, &[[None, Some(0)]]).with_regular_joints()
        ));
        assert!(!has_loops(&Layout::dense(Manifold::euclidean(4))));
    }

    #[test]
    fn closed_chains_and_bodies_held_twice_have_one() {
        let four_bar = [
            [None, Some(0)],
            [Some(0), Some(1)],
            [Some(1), Some(2)],
            [Some(2), None],
        ];
        assert!(has_loops(&layout(3, &four_bar)));
        assert!(has_loops(&layout(2, &[[None, Some(0)], [Some(0), None]])));
    }

    #[test]
    fn one_body_has_a_loop_where_it_is_held_twice() {
        let once = layout(1, &[[None, Some(0)]]);
        let twice = layout(1, &[[None, Some(0)], [None, Some(0)]]);
        assert!(has_loops(&once) && has_loops(&twice));
        assert!(!has_loops(&once.with_regular_joints()));
        assert!(has_loops(&twice.with_regular_joints()));
    }

    #[test]
    fn of_a_single_block_nothing_is_known() {
        assert!(has_loops(&layout(2, &[[None, Some(0)]])));
        assert!(has_loops(
            &Layout::dense(Manifold::euclidean(3)).with_position_rows(2)
        ));
        assert!(!has_loops(
            &Layout::dense(Manifold::euclidean(3)).with_position_rows(1)
        ));
    }
}
