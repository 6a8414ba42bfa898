//! The adder as a list of transistors between nodes, built from gates.

use super::super::shichman_hodges::Transistor;

const DEPLETION: Transistor = Transistor::depletion(2.675);

/// An enhancement transistor for so many in a row: those of a longer row are wider, so that all rows conduct alike.
fn enhancement(in_row: usize) -> Transistor {
    Transistor::enhancement([8.74 * in_row as f64; 2])
}

/// What a transistor is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Terminal {
    /// A node, counted from 0.
    Node(usize),
    Input(Input),
    Ground,
    Supply,
}

/// The inputs in the order of their pulses: the bits of both summands, inverted, and the carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    NotA0,
    NotB0,
    NotA1,
    NotB1,
    Carry,
}

use Terminal::{Ground, Node, Supply};

/// A transistor with four nodes of its own: its source and its drain behind resistors, and the bulk beside either.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub kind: Transistor,
    /// The first of its nodes, in the order of [`Placed::nodes`].
    first: usize,
    pub gate: Terminal,
    pub source: Terminal,
    pub drain: Terminal,
}

impl Placed {
    /// Source, drain, bulk beside the source, bulk beside the drain.
    pub(super) fn nodes(&self) -> [usize; 4] {
        [0, 1, 2, 3].map(|offset| self.first + offset)
    }
}

/// The transistors of the adder.
#[derive(Clone, Debug, Default)]
pub(super) struct Circuit {
    pub transistors: Vec<Placed>,
    /// The nodes of S0, S1 and the inverted carry.
    pub sums: Vec<Terminal>,
    /// Number of nodes.
    pub nodes: usize,
}

impl Circuit {
    /// A + B + carry of two bits each. Every gate inverts.
    pub(super) fn adder() -> Self {
        let mut circuit = Self::default();
        let [not_a0, not_b0, not_a1, not_b1, carry] = [
            Input::NotA0,
            Input::NotB0,
            Input::NotA1,
            Input::NotB1,
            Input::Carry,
        ]
        .map(Terminal::Input);
        let both0 = circuit.nor([not_a0, not_b0]);
        let one0 = circuit.and_or_not(both0, [not_b0, not_a0]);
        let none0 = circuit.nor([one0, carry]);
        let sum0 = circuit.and_or_not(none0, [carry, one0]);
        let no_carry0 = circuit.and_or_not(both0, [carry, one0]);
        let both1 = circuit.nor([not_a1, not_b1]);
        let one1 = circuit.and_or_not(both1, [not_b1, not_a1]);
        let not_alone = circuit.nand([no_carry0, one1]);
        let sum1 = circuit.or_and_not(not_alone, [no_carry0, one1]);
        let no_carry1 = circuit.and_or_not(both1, [both0, one1]);
        circuit.row(no_carry1, &[one1, one0, carry]);
        circuit.sums = vec![sum0, sum1, no_carry1];
        circuit
    }

    fn node(&mut self) -> Terminal {
        self.nodes += 1;
        Node(self.nodes - 1)
    }

    fn place(&mut self, kind: Transistor, [gate, source, drain]: [Terminal; 3]) {
        let first = self.nodes;
        self.nodes += 4;
        self.transistors.push(Placed {
            kind,
            first,
            gate,
            source,
            drain,
        });
    }

    /// The node of a gate's result, drawn to the supply by a transistor whose gate it is.
    fn load(&mut self) -> Terminal {
        let result = Node(self.nodes + 4);
        self.place(DEPLETION, [result, result, Supply]);
        self.node()
    }

    /// Transistors one behind the other from a node to the ground.
    fn row(&mut self, from: Terminal, gates: &[Terminal]) {
        let kind = enhancement(gates.len());
        let mut drain = from;
        for (index, &gate) in gates.iter().enumerate() {
            if index + 1 == gates.len() {
                self.place(kind, [gate, Ground, drain]);
            } else {
                let source = Node(self.nodes + 4);
                self.place(kind, [gate, source, drain]);
                drain = self.node();
            }
        }
    }

    /// not (a or b)
    fn nor(&mut self, [a, b]: [Terminal; 2]) -> Terminal {
        let result = self.load();
        self.row(result, &[a]);
        self.row(result, &[b]);
        result
    }

    /// not (a and b)
    fn nand(&mut self, inputs: [Terminal; 2]) -> Terminal {
        let result = self.load();
        self.row(result, &inputs);
        result
    }

    /// not (a or (b and c))
    fn and_or_not(&mut self, a: Terminal, row: [Terminal; 2]) -> Terminal {
        let result = self.load();
        self.row(result, &[a]);
        self.row(result, &row);
        result
    }

    /// not (a and (b or c))
    fn or_and_not(&mut self, a: Terminal, [b, c]: [Terminal; 2]) -> Terminal {
        let result = self.load();
        self.row(result, &[a, b]);
        let behind = self.transistors.last().map_or(Ground, |last| last.drain);
        self.place(enhancement(2), [c, Ground, behind]);
        result
    }
}
