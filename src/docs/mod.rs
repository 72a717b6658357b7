//! The manual, page by page; every output in it was printed by the program.
//!
//! Learn: [`tutorial`]. Do: [`run`], [`repeats`], [`nightly_gate`], [`nights`], [`batch_export`], [`sweeps`], [`atlas`], [`planning`], [`looks`],
//! [`unattended`], [`ledger`], [`history`], [`logs`], [`claims`], [`python`], [`page`].
//! Look up: [`cli`], [`policy`], [`json`], [`formats`], [`checks`], [`glossary`]. Understand: [`method`], [`speed`].

/// Targets of the links between pages; in the files themselves the names lead to each other.
macro_rules! links {
    () => {
        "[tutorial]: crate::docs::tutorial\n\
         [run]: crate::docs::run\n\
         [repeats]: crate::docs::repeats\n\
         [nightly gate]: crate::docs::nightly_gate\n\
         [nights]: crate::docs::nights\n\
         [batch]: crate::docs::batch_export\n\
         [sweeps]: crate::docs::sweeps\n\
         [atlas]: crate::docs::atlas\n\
         [planning]: crate::docs::planning\n\
         [looks]: crate::docs::looks\n\
         [unattended]: crate::docs::unattended\n\
         [loop]: crate::docs::ledger\n\
         [history]: crate::docs::history\n\
         [logs]: crate::docs::logs\n\
         [claims]: crate::docs::claims\n\
         [Python]: crate::docs::python\n\
         [page]: crate::docs::page\n\
         [commands]: crate::docs::cli\n\
         [policy file]: crate::docs::policy\n\
         [JSON]: crate::docs::json\n\
         [formats]: crate::docs::formats\n\
         [checks]: crate::docs::checks\n\
         [glossary]: crate::docs::glossary\n\
         [method]: crate::docs::method\n\
         [speed]: crate::docs::speed\n\n"
    };
}

#[doc = links!()]
#[doc = include_str!("tutorial.md")]
pub mod tutorial {}
#[doc = links!()]
#[doc = include_str!("run.md")]
pub mod run {}
#[doc = links!()]
#[doc = include_str!("repeats.md")]
pub mod repeats {}
#[doc = links!()]
#[doc = include_str!("nightly_gate.md")]
pub mod nightly_gate {}
#[doc = links!()]
#[doc = include_str!("nights.md")]
pub mod nights {}
#[doc = links!()]
#[doc = include_str!("batch_export.md")]
pub mod batch_export {}
#[expect(clippy::doc_markdown, reason = "names of programs")]
#[doc = links!()]
#[doc = include_str!("sweeps.md")]
pub mod sweeps {}
#[doc = links!()]
#[doc = include_str!("atlas.md")]
pub mod atlas {}
#[doc = links!()]
#[doc = include_str!("planning.md")]
pub mod planning {}
#[doc = links!()]
#[doc = include_str!("looks.md")]
pub mod looks {}
#[doc = links!()]
#[doc = include_str!("unattended.md")]
pub mod unattended {}
#[doc = links!()]
#[doc = include_str!("loop.md")]
pub mod ledger {}
#[doc = links!()]
#[doc = include_str!("history.md")]
pub mod history {}
#[expect(clippy::doc_markdown, reason = "names of engines")]
#[doc = links!()]
#[doc = include_str!("logs.md")]
pub mod logs {}
#[doc = links!()]
#[doc = include_str!("claims.md")]
pub mod claims {}
#[expect(clippy::doc_markdown, reason = "names of libraries")]
#[doc = links!()]
#[doc = include_str!("python.md")]
pub mod python {}
#[doc = links!()]
#[doc = include_str!("page.md")]
pub mod page {}
#[doc = links!()]
#[doc = include_str!("cli.md")]
pub mod cli {}
#[doc = links!()]
#[doc = include_str!("policy.md")]
pub mod policy {}
#[doc = links!()]
#[doc = include_str!("json.md")]
pub mod json {}
#[expect(clippy::doc_markdown, reason = "names of programs")]
#[doc = links!()]
#[doc = include_str!("formats.md")]
pub mod formats {}
#[doc = links!()]
#[doc = include_str!("checks.md")]
pub mod checks {}
#[doc = links!()]
#[doc = include_str!("glossary.md")]
pub mod glossary {}
#[doc = links!()]
#[doc = include_str!("method.md")]
pub mod method {}
#[doc = links!()]
#[doc = include_str!("speed.md")]
pub mod speed {}
