//! Notes and logs: headings, printed blocks, claims.

pub(crate) mod claims;
pub(crate) mod headings;
pub(crate) mod notes;
pub(crate) mod text_block;
