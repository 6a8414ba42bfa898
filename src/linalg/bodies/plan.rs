//! The symbolic elimination of joints: which blocks each step reads and writes, found once from the patterns.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::entries::{VELOCITIES, velocity_of};
use crate::linalg::blocks::Blocks;
use crate::linalg::pattern::Pattern;
use crate::linalg::system::System;

/// Most joints of one body: each pair of them is coupled when the body is eliminated first.
const MOST_JOINTS: usize = 6;

/// Most blocks below the diagonal for each joint, fill included. Chains have one, trees about as many as a body has joints;
/// with wide fronts another order is better.
const MOST_LATER: usize = 3;

/// A joint, in the order of elimination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Its first constraint row.
    pub row: u32,
    /// Its number of bodies: so many blocks lie in each of its rows.
    pub stride: u32,
    /// One past its edges and its later neighbours in the lists of the plan: they begin where those of
    /// the joint before end.
    pub edges: u32,
    pub later: u32,
}

/// A body of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub body: u32,
    /// Number of its block in the first row of the joint, among all blocks of G row by row.
    pub block: u32,
    /// One past its [`Shared`].
    pub shared: u32,
}

/// A joint of a body, as the body sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The joint's first constraint row.
    pub row: u32,
    /// Number of the body's block in that row, and the distance of the next one.
    pub block: u32,
    pub stride: u32,
}

/// A body, in the order of the variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// One past its joints, and one past those whose other bodies come before: these lists begin where those of the body before end.
    pub touches: u32,
    pub closed: u32,
}

/// A later joint of the same body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    /// Number of the body's block in the first row of the later joint, and the distance of the next one.
    pub block: u32,
    pub stride: u32,
    /// Number of the block below the diagonal.
    pub target: u32,
}

/// The elimination of joints.
#[derive(Debug)]
pub(super) struct Plan {
    pub joints: Vec<Joint>,
    pub edges: Vec<Edge>,
    pub shared: Vec<Shared>,
    /// The later neighbours of all joints: one block below the diagonal for each.
    pub later: Vec<u32>,
    /// For each pair of two later neighbours of a joint, row by row, the block below the diagonal that they change.
    pub updates: Vec<u32>,
    pub bodies: Vec<Body>,
    /// The joints of all bodies, those of one body in the order of elimination.
    pub touches: Vec<Touch>,
    /// Places in the order of elimination of all joints, by the last of their bodies.
    pub closed: Vec<u32>,
}

impl Plan {
    /// `None` where rows are not those of joints, with `N` entries for each of their bodies, or where joints do not form trees
    /// or nearly so.
    pub fn new<const N: usize>(system: &System, blocks: &Blocks, rows: usize) -> Option<Self> {
        let count = blocks.rows.len();
        // The bodies of each joint, with the positions of their blocks.
        let mut around = Vec::with_capacity(count);
        let mut of_body = vec![Vec::new(); blocks.variables.len()];
        for joint in 0..count {
            let edges = edges::<N>(&system.b, joint * rows, rows)?;
            for edge in &edges {
                let joints: &mut Vec<usize> = &mut of_body[edge.body as usize];
                joints.push(joint);
                if joints.len() > MOST_JOINTS {
                    return None;
                }
            }
            around.push(edges);
        }
        let mut adjacent = vec![BTreeSet::new(); count];
        for joints in &of_body {
            for &one in joints {
                adjacent[one].extend(joints.iter().copied().filter(|&other| other != one));
            }
        }
        let order = order(adjacent)?;
        let mut place = vec![0; count];
        for (step, (joint, _)) in order.iter().enumerate() {
            place[*joint] = step;
        }
        let mut plan = Self {
            joints: Vec::with_capacity(count),
            edges: Vec::new(),
            shared: Vec::new(),
            later: Vec::new(),
            updates: Vec::new(),
            bodies: Vec::with_capacity(of_body.len()),
            touches: Vec::new(),
            closed: Vec::with_capacity(count),
        };
        for (step, (joint, neighbours)) in order.iter().enumerate() {
            let mut later: Vec<usize> = neighbours.iter().map(|&other| place[other]).collect();
            later.sort_unstable();
            for edge in &around[*joint] {
                for &other in &of_body[edge.body as usize] {
                    let Ok(found) = later.binary_search(&place[other]) else {
                        continue;
                    };
                    let theirs = around[other].iter().find(|other| other.body == edge.body)?;
                    plan.shared.push(Shared {
                        block: theirs.block,
                        stride: around[other].len() as u32,
                        target: (plan.later.len() + found) as u32,
                    });
                }
                plan.edges.push(Edge {
                    shared: plan.shared.len() as u32,
                    ..*edge
                });
            }
            plan.later.extend(later.iter().map(|&step| step as u32));
            plan.joints.push(Joint {
                row: (joint * rows) as u32,
                stride: around[*joint].len() as u32,
                edges: plan.edges.len() as u32,
                later: plan.later.len() as u32,
            });
            debug_assert!(later.iter().all(|&other| other > step));
        }
        plan.list_updates()?;
        plan.list_bodies(of_body.len());
        for list in [&mut plan.later, &mut plan.updates] {
            list.shrink_to_fit();
        }
        plan.edges.shrink_to_fit();
        plan.shared.shrink_to_fit();
        Some(plan)
    }

    fn list_updates(&mut self) -> Option<()> {
        let mut first = 0;
        for joint in &self.joints {
            let own = &self.later[first..joint.later as usize];
            first = joint.later as usize;
            for (index, &early) in own.iter().enumerate() {
                let begin = match early {
                    0 => 0,
                    _ => self.joints[early as usize - 1].later,
                };
                let end = self.joints[early as usize].later;
                let theirs = &self.later[begin as usize..end as usize];
                for late in &own[index + 1..] {
                    let found = theirs.binary_search(late).ok()?;
                    self.updates.push(begin + found as u32);
                }
            }
        }
        Some(())
    }

    fn list_bodies(&mut self, count: usize) {
        let mut touches = vec![Vec::new(); count];
        let mut closed = vec![Vec::new(); count];
        for (step, (joint, edges)) in (0..).zip(self.with_edges()) {
            for edge in edges {
                touches[edge.body as usize].push(Touch {
                    row: joint.row,
                    block: edge.block,
                    stride: joint.stride,
                });
            }
            if let Some(last) = edges.iter().map(|edge| edge.body).max() {
                closed[last as usize].push(step);
            }
        }
        self.touches.reserve_exact(self.edges.len());
        for (own, closed) in touches.into_iter().zip(closed) {
            self.touches.extend(own);
            self.closed.extend(closed);
            self.bodies.push(Body {
                touches: self.touches.len() as u32,
                closed: self.closed.len() as u32,
            });
        }
    }

    /// The last joint that the elimination of this one changes; its later neighbours are these, in increasing order.
    #[inline(always)]
    pub fn reach(&self, step: usize, later: std::ops::Range<usize>) -> usize {
        self.later[later].last().map_or(step, |&last| last as usize)
    }

    /// The constraint rows of the joint that is eliminated in this step, so many as each joint has.
    #[inline(always)]
    pub fn rows_of(&self, step: usize, rows: usize) -> std::ops::Range<usize> {
        let first = self.joints[step].row as usize;
        first..first + rows
    }

    /// The joints of all bodies.
    #[inline(always)]
    pub fn with_touches(&self) -> impl Iterator<Item = &[Touch]> {
        let mut first = 0;
        self.bodies.iter().map(move |body| {
            let own = first..body.touches as usize;
            first = own.end;
            &self.touches[own]
        })
    }

    /// The joints of one body.
    pub fn touches_of(&self, body: usize) -> &[Touch] {
        let first = match body {
            0 => 0,
            _ => self.bodies[body - 1].touches as usize,
        };
        &self.touches[first..self.bodies[body].touches as usize]
    }

    /// The bodies of the joint that is eliminated in this step.
    #[inline(always)]
    pub fn edges_of(&self, step: usize) -> &[Edge] {
        let first = match step {
            0 => 0,
            _ => self.joints[step - 1].edges as usize,
        };
        &self.edges[first..self.joints[step].edges as usize]
    }

    /// Joints in the order of elimination with their bodies.
    #[inline(always)]
    pub fn with_edges(&self) -> impl Iterator<Item = (&Joint, &[Edge])> {
        let mut first = 0;
        self.joints.iter().map(move |joint| {
            let own = first..joint.edges as usize;
            first = own.end;
            (joint, &self.edges[own])
        })
    }

    /// The largest number of later neighbours of a joint.
    pub fn widest(&self) -> usize {
        let mut first = 0;
        let widths = self.joints.iter().map(|joint| {
            let width = joint.later - first;
            first = joint.later;
            width as usize
        });
        widths.max().unwrap_or(0)
    }
}

/// The bodies that the rows of a joint have entries for, if these are the `N` of each body and row.
fn edges<const N: usize>(pattern: &Pattern, first: usize, rows: usize) -> Option<Vec<Edge>> {
    let columns = pattern.row(first);
    let bodies = columns.chunks(N).map(|block| block[0] / VELOCITIES);
    let stands = |row: usize| {
        let expected = bodies.clone().flat_map(|body| {
            (0..N).map(move |entry| VELOCITIES * body + velocity_of::<N>(row, entry))
        });
        pattern.row(first + row).iter().copied().eq(expected)
    };
    if columns.is_empty() || !(0..rows).all(stands) {
        return None;
    }
    let value = pattern.row_range(first).start;
    let list = bodies.clone().enumerate().map(|(index, body)| Edge {
        body: body as u32,
        block: (value / N + index) as u32,
        shared: 0,
    });
    Some(list.collect())
}

/// Joints by least degree, each with its neighbours when it is eliminated; among equals the one that has waited longest, so that
/// a chain is eliminated from both ends at once: its two halves do not wait for each other.
fn order(mut adjacent: Vec<BTreeSet<usize>>) -> Option<Vec<(usize, BTreeSet<usize>)>> {
    let count = adjacent.len();
    let (mut stamp, mut links) = (count, 0);
    let mut done = vec![false; count];
    let mut heap: BinaryHeap<_> = (adjacent.iter().map(BTreeSet::len).enumerate())
        .map(|(joint, degree)| Reverse((degree, joint, joint)))
        .collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((degree, _, joint))) = heap.pop() {
        // Entries of the heap are never changed: outdated ones are recognized by their degree.
        if done[joint] || degree != adjacent[joint].len() {
            continue;
        }
        done[joint] = true;
        let around = std::mem::take(&mut adjacent[joint]);
        links += around.len();
        if links > MOST_LATER * count {
            return None;
        }
        for &one in &around {
            adjacent[one].remove(&joint);
            // Elimination connects all neighbours with each other.
            adjacent[one].extend(around.iter().copied().filter(|&other| other != one));
            heap.push(Reverse((adjacent[one].len(), stamp, one)));
            stamp += 1;
        }
        order.push((joint, around));
    }
    Some(order)
}
