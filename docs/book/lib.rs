//! Code in README and in the chapters of the book, as tests of documentation: `cargo test --doc -p liedae-book`.

/// Compiles the code of a page.
macro_rules! pages {
    ($($name:ident = $path:literal),* $(,)?) => {
        $(
            #[doc = include_str!($path)]
            mod $name {}
        )*
    };
}

pages! {
    readme = "../../README.md",
    mechanism = "src/mechanism.md",
    dae = "src/dae.md",
    events = "src/events.md",
    friction = "src/friction.md",
    flexible = "src/flexible.md",
    writing_a_method = "src/writing-a-method.md",
    elements = "src/elements.md",
    extending = "src/extending.md",
}
