//! Wall time of the rows of docs/performance.md: `cargo bench -p liedae-problems --bench solves`, with parts of names behind `--`.
//!
//! `--bench counts` counts instructions of the same rows, which a busy machine does not change.

mod rows;

use criterion::{Criterion, criterion_group, criterion_main};
use rows::rows;
use std::hint::black_box;
use std::time::Duration;

fn solves(criterion: &mut Criterion) {
    for row in rows() {
        let mut case = row.prepare().expect("a row of the table");
        criterion.bench_function(&row.name, |bencher| {
            bencher.iter(|| black_box(case.solve().expect("solved")));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    targets = solves
}
criterion_main!(benches);
