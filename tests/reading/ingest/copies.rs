//! Copies of files and rows are counted once, and different rows are different runs.

use std::io::Write;

use beyondnoise::read::{Tidy, tidy};

use super::{Files, counts, dataset, read_text};

/// Few digits, so that values alone tell nothing.
const TABLE: &str = "variant,throughput\nbefore,100.5\nbefore,101.9\nbefore,103.1\nafter,99.2\nafter,100.1\n\
                     after,100.2\n";

const ONCE: [(&str, usize); 2] = [("before", 3), ("after", 3)];

fn sorted(found: Vec<(&str, usize)>) -> Vec<(&str, usize)> {
    let mut found = found;
    found.sort_by_key(|(name, _)| std::cmp::Reverse(*name));
    found
}

#[test]
fn a_file_and_its_copies_are_one_file() {
    let files = Files::new(&[("d/runs.csv", TABLE), ("d/runs (1).csv", TABLE), ("f.csv", TABLE)]);
    let packed = std::fs::File::create(files.path("f2.csv.gz")).expect("a file");
    let mut writer = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    writer.write_all(TABLE.as_bytes()).expect("written");
    writer.finish().expect("written");
    let (folder, plain, gz) = (files.path("d"), files.path("f.csv"), files.path("f2.csv.gz"));
    for inputs in [vec![folder.as_str()], vec![&plain, &gz], vec![&gz, &plain, &folder]] {
        let read = dataset(&inputs);
        assert_eq!(sorted(counts(&read.groups[0])), ONCE, "{inputs:?}");
        let said = |why: &str| why.starts_with("the same content as ");
        let told = read.inputs.iter().flat_map(|input| &input.skipped).filter(|s| said(&s.why));
        assert_eq!(told.count(), read.inputs.len() - 1, "{inputs:?}");
        assert_eq!(read.groups[0].duplicates.len(), 6 * (read.inputs.len() - 1));
    }
}

/// The same rows in another spelling: six different values of four digits are no chance.
#[test]
fn a_table_that_was_saved_again_is_a_copy() {
    let again: String = TABLE.replace("before", "\"before\"").replace('\n', "\r\n");
    let files = Files::new(&[("f.csv", TABLE), ("g.csv", &again)]);
    let read = dataset(&[&files.path("f.csv"), &files.path("g.csv")]);
    assert_eq!(sorted(counts(&read.groups[0])), ONCE);
    assert!(read.inputs[1].skipped[0].why.starts_with("the same rows as "));
    // Another setting makes other runs.
    let on =
        |gpu: &str| TABLE.replace("variant,", "gpu,variant,").replace('\n', &format!("\n{gpu},"));
    let (h100, h200) = (on("h100"), on("h200"));
    let files = Files::new(&[
        ("f.csv", h100.trim_end_matches("h100,")),
        ("g.csv", h200.trim_end_matches("h200,")),
    ]);
    let read = dataset(&[&files.path("f.csv"), &files.path("g.csv")]);
    assert!(read.groups.iter().all(|group| group.duplicates.is_empty()));
    // A few values may well come again.
    let few = "variant,throughput\nbefore,100.5\nafter,99.2\n";
    let files = Files::new(&[("f.csv", few), ("g.csv", &few.replace('\n', "\r\n"))]);
    let read = dataset(&[&files.path("f.csv"), &files.path("g.csv")]);
    assert_eq!(sorted(counts(&read.groups[0])), [("before", 2), ("after", 2)]);
}

#[test]
fn a_tidy_table_beside_its_input_adds_no_run() {
    // One value a side has no digits to tell a copy by.
    let few = "variant,throughput\nbefore,99.5\nafter,98.2\n";
    let inputs = [("d/a.csv", TABLE), ("d/b.csv", few)];
    let files = Files::new(&inputs);
    let written = tidy(&dataset(&[&files.path("d")]), Tidy::Csv).expect("a table");
    let all = [("before", 4), ("after", 4)];
    let moved = Files::new(&inputs);
    // Also where the folder is another one since.
    for files in [&files, &moved] {
        std::fs::write(files.path("d/tidy.csv"), &written).expect("a file");
        let read = dataset(&[&files.path("d")]);
        assert_eq!(sorted(counts(&read.groups[0])), all);
        let told = &read.inputs[2].skipped[0];
        assert_eq!(told.place, "column source");
        assert!(told.why.starts_with("8 of its runs are copies of runs in "), "{}", told.why);
        assert!(told.why.ends_with("a.csv and other inputs: counted once"), "{}", told.why);
    }
    // By itself it is what it was made of.
    assert_eq!(sorted(counts(&dataset(&[&files.path("d/tidy.csv")]).groups[0])), all);
}

/// 1000 units of work by a clock of whole seconds: 1000/31 and 1000/32, whatever the run.
#[test]
fn rows_of_one_table_are_different_runs_whatever_they_hold() {
    let ticks = [("before", [31, 31, 31, 31, 32]), ("after", [32, 32, 31, 32, 32])];
    let table = |run: bool| -> String {
        let header = if run { "variant,run,throughput\n" } else { "variant,throughput\n" };
        ticks.iter().fold(header.to_owned(), |text, (variant, seconds)| {
            seconds.iter().enumerate().fold(text, |text, (number, seconds)| {
                let number = if run { format!("{number},") } else { String::new() };
                format!("{text}{variant},{number}{}\n", 1000.0 / f64::from(*seconds))
            })
        })
    };
    for run in [true, false] {
        let read = read_text("tick.csv", &table(run));
        assert_eq!(counts(&read.groups[0]), [("before", 5), ("after", 5)], "{run}");
        assert!(read.groups[0].duplicates.is_empty());
    }
    // Nor does a clock make runs of two tables one.
    let side = |name: &str| -> String {
        let table = table(true);
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with(name)).collect();
        format!("variant,run,throughput\n{}\n", rows.join("\n"))
    };
    let files = Files::new(&[("a.csv", &side("before")), ("b.csv", &side("after"))]);
    let read = dataset(&[&files.path("a.csv"), &files.path("b.csv")]);
    assert_eq!(counts(&read.groups[0]).iter().map(|(_, n)| n).sum::<usize>(), 10);
}
