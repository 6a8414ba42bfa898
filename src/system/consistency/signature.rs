//! The signature method: offsets of equations and unknowns from the orders of the derivatives that occur in them.

/// The signature matrix σ of a system with an assignment of greatest weight and its smallest offsets.
///
/// σ_ij is the order of the highest derivative of unknown j in equation i. The offsets satisfy d_j - c_i >= σ_ij, with equality on the
/// assignment and c_i >= 0: equation i is differentiated c_i times, and the d_j-th derivative of unknown j is then determined.
///
/// Source: Pryce 2001, doi:10.1023/A:1021998624799.
pub(in crate::system) struct Signature {
    size: usize,
    entries: Vec<Option<i32>>,
    /// The equation that each unknown is assigned to.
    equations: Vec<usize>,
    /// c.
    pub row_offsets: Vec<i32>,
    /// d.
    pub column_offsets: Vec<i32>,
}

impl Signature {
    /// From the entries σ_ij, 0 or 1; `None` if no assignment exists, so that the system is structurally singular.
    pub fn new(size: usize, entry: impl Fn(usize, usize) -> Option<i32>) -> Option<Self> {
        let entries: Vec<Option<i32>> = (0..size * size)
            .map(|place| entry(place / size, place % size))
            .collect();
        let equations = assign(size, &entries)?;
        let mut signature = Self {
            size,
            entries,
            equations,
            row_offsets: vec![0; size],
            column_offsets: vec![0; size],
        };
        signature.find_offsets().then_some(signature)
    }

    /// Whether the highest derivative of the unknown, after all differentiations, occurs in the equation: σ_ij = d_j - c_i.
    pub fn is_highest(&self, row: usize, column: usize) -> bool {
        let order = self.column_offsets[column] - self.row_offsets[row];
        self.entry(row, column) == Some(order)
    }

    /// σ_ij.
    fn entry(&self, row: usize, column: usize) -> Option<i32> {
        self.entries[row * self.size + column]
    }

    /// Pryce's fixed-point iteration; false if it does not end, which only a wrong assignment could bring about.
    fn find_offsets(&mut self) -> bool {
        for _ in 0..4 * self.size + 4 {
            // d_j = max_i (σ_ij + c_i).
            for column in 0..self.size {
                let rows = (0..self.size).filter_map(|row| {
                    self.entry(row, column)
                        .map(|order| order + self.row_offsets[row])
                });
                self.column_offsets[column] = rows.max().unwrap_or(0);
            }
            let mut changed = false;
            // c_i = d_j - σ_ij on the assignment.
            for column in 0..self.size {
                let row = self.equations[column];
                let order = self.entry(row, column).unwrap_or(0);
                let offset = self.column_offsets[column] - order;
                changed |= offset != self.row_offsets[row];
                self.row_offsets[row] = offset;
            }
            if !changed {
                return true;
            }
        }
        false
    }

    /// For each unknown x_j the number of derivatives of a perturbation that may enter its d_j-th derivative, plus 1: through its own
    /// equation, and through all that occurs there. An unknown that occurs with a derivative below the highest one passes on as many
    /// fewer.
    pub fn reach(&self) -> Vec<i32> {
        let own = |column: usize| self.row_offsets[self.equations[column]] + 1;
        let mut reach: Vec<i32> = (0..self.size).map(own).collect();
        // What is passed on never grows along a circle, so this ends.
        loop {
            let mut changed = false;
            for column in 0..self.size {
                let row = self.equations[column];
                let through = (0..self.size).filter_map(|other| {
                    let order = self.entry(row, other)?;
                    let below = self.column_offsets[other] - self.row_offsets[row] - order;
                    Some(reach[other] - below)
                });
                let most = through.max().unwrap_or(0);
                if most > reach[column] {
                    reach[column] = most;
                    changed = true;
                }
            }
            if !changed {
                return reach;
            }
        }
    }
}

/// An assignment of greatest weight by shortest augmenting paths (the Hungarian method with potentials): the row of each
/// column, `None` if one has to remain without.
fn assign(size: usize, entries: &[Option<i32>]) -> Option<Vec<usize>> {
    // Any number of entries that exist is cheaper than one that does not.
    let missing = 2 * size as i64 + 1;
    let cost = |row: usize, column: usize| {
        // Greatest weight as least cost: derivatives of order 1 cost nothing.
        entries[row * size + column].map_or(missing, |order| 1 - i64::from(order))
    };
    // Place 0 is a virtual column at which every path begins.
    let mut row_price = vec![0_i64; size + 1];
    let mut column_price = vec![0_i64; size + 1];
    let mut row_of = vec![0_usize; size + 1];
    let mut previous = vec![0_usize; size + 1];
    let mut distance = vec![0_i64; size + 1];
    let mut visited = vec![false; size + 1];
    for row in 1..=size {
        row_of[0] = row;
        distance.fill(i64::MAX);
        visited.fill(false);
        let mut column = 0;
        loop {
            visited[column] = true;
            let from = row_of[column];
            let (mut nearest, mut least) = (0, i64::MAX);
            // Dijkstra over reduced costs, which potentials keep from being negative.
            for other in (1..=size).filter(|&other| !visited[other]) {
                let reduced = cost(from - 1, other - 1) - row_price[from] - column_price[other];
                if reduced < distance[other] {
                    distance[other] = reduced;
                    previous[other] = column;
                }
                if distance[other] < least {
                    least = distance[other];
                    nearest = other;
                }
            }
            for other in 0..=size {
                if visited[other] {
                    row_price[row_of[other]] += least;
                    column_price[other] -= least;
                } else if distance[other] != i64::MAX {
                    distance[other] -= least;
                }
            }
            column = nearest;
            if row_of[column] == 0 {
                break;
            }
        }
        // Along the path back every column takes over the row of the one before.
        while column != 0 {
            row_of[column] = row_of[previous[column]];
            column = previous[column];
        }
    }
    let rows: Vec<usize> = row_of[1..].iter().map(|row| row - 1).collect();
    let all = (0..size).all(|column| entries[rows[column] * size + column].is_some());
    all.then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::Signature;

    /// σ in lines: `1`, `0`, and `.` where an unknown does not occur.
    fn signature(lines: &[&str]) -> Option<Signature> {
        let order = |row: usize, column: usize| match lines[row].as_bytes()[column] {
            b'1' => Some(1),
            b'0' => Some(0),
            _ => None,
        };
        Signature::new(lines.len(), order)
    }

    fn indices(lines: &[&str]) -> Vec<i32> {
        let signature = signature(lines).expect("structurally regular");
        let reach = signature.reach().into_iter();
        reach
            .zip(&signature.column_offsets)
            .map(|(reach, offset)| (reach - offset).max(0))
            .collect()
    }

    #[test]
    fn indices_of_the_pendulum_in_three_formulations() {
        let motion = ["1.0..", ".1.0.", "0.1.0", ".0.10"];
        let with = |constraint| [motion.as_slice(), &[constraint]].concat();
        assert_eq!(indices(&with("00...")), [1, 1, 2, 2, 3]);
        assert_eq!(indices(&with("0000.")), [0, 0, 1, 1, 2]);
        assert_eq!(indices(&with("00000")), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn what_depends_on_another_unknown_inherits_its_index() {
        // The last two: w' = f(velocity), z = g(velocity).
        let lines = [
            "1.0....", ".1.0...", "0.1.0..", ".0.10..", "00.....", "..0..1.", "...0..0",
        ];
        assert_eq!(indices(&lines), [1, 1, 2, 2, 3, 1, 2]);
    }

    #[test]
    fn an_unknown_that_occurs_nowhere_is_singular() {
        assert!(signature(&["1.", "0."]).is_none());
        assert!(signature(&["10", "00"]).is_some());
    }
}
