//! The table of docs/numerics/beams.md: how errors fall with the length of elements, for each kind of deformation.

