//! No code: this crate asks for the features that other members of the workspace need of libraries. Without it `cargo run`
//! and `cargo test` would each build polars for themselves.
