//! From runs to verdicts and reports: checks, batches, plans, noise, every format of the output.
//!
//! One executable for all of them, since each one links the whole program.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod advice;
mod atlas;
mod batch;
mod borrowing;
mod calibrate;
mod capacity;
mod check_words;
mod checks;
mod checks_measured;
mod checks_numbers;
mod checks_runs;
mod claim;
mod config;
mod control;
mod deciding;
mod failed_runs;
mod forms;
mod gate;
mod history;
mod html;
mod levels;
mod markdown;
mod noise;
mod noise_findings;
mod outputs;
mod pictures;
mod plan;
mod plan_order;
mod policy_file;
mod promotion;
mod read_as;
mod report;
mod sessions;
mod shared_runs;
mod sweeps;
mod text;
mod verdicts;
mod whole_path;
