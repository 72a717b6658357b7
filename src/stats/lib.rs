#![doc = include_str!("README.md")]

pub mod capacity;
pub mod change;
pub mod history;
pub mod lists;
pub mod noise;
mod numerics;
pub mod power;
pub mod runs;

pub use {capacity::*, change::*, lists::*, noise::*, power::*, runs::*};
