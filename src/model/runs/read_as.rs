//! How tables of unknown tools were read: one line for each way, with the flag that changes it if the choice was close.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::runs::{Dataset, Input, Run};

/// Most names of one kind in a line.
const MAX_NAMES: usize = 5;

/// Most readings with their own line.
const MAX_READINGS: usize = 3;

/// Most files in a line.
const MAX_PLACES: usize = 2;

/// How a column is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnUse {
    /// It names the variant.
    Variant,
    /// It has the values of one variant; its header names the variant.
    ValuesOfVariant,
    /// A setting: rows that differ in it are no repeats.
    Setting,
    /// A setting over which the user pools runs.
    Pooled,
    /// It names the run, or a level of repeats.
    Run,
    /// It has the values of one run.
    ValuesOfRun,
    /// It names the pair of a run.
    Pair,
    /// It names the metric of the row.
    MetricNames,
    /// It has the value of the row's metric.
    Value,
    /// A measured metric.
    Measured,
    /// It describes a value: its spread, its unit, the number of runs behind it.
    OfValue,
    /// The outcome of a run or its requests.
    Outcome,
    /// A count of the run's work.
    Count,
    /// It identifies runs, without any other effect.
    Identity,
    /// A change between other columns, which is checked as a claim.
    Claim,
    /// It is not used.
    LeftOut,
}

/// A column of a table with its use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReadColumn")]
pub struct Column {
    /// Its header.
    pub name: String,
    /// Its role as `show` prints it: `identity`, `factor`, `measured`, `remark`, ...
    pub role: &'static str,
    /// The use behind the role.
    #[serde(rename = "as")]
    pub used: ColumnUse,
    /// The reason in a few words.
    pub why: &'static str,
    /// Another use that nearly fits; null if the choice was clear.
    pub close: Option<Close>,
}

/// A second use of a column that nearly fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CloseUse")]
pub struct Close {
    /// The other use.
    #[serde(rename = "as")]
    pub used: ColumnUse,
    /// The flag for this use.
    pub flag: String,
    /// Whether the rules disagree about repeats because of it; then no change is claimed.
    pub doubtful: bool,
}

/// A table in a file, with its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its place in a file with several tables: `line 12`; else empty.
    pub place: String,
    /// Its columns that have a name and a cell.
    pub columns: Vec<Column>,
    /// The meaning of its rows.
    pub rows: Rows,
    /// Whether a known tool has this layout.
    pub known: bool,
}

/// The meaning of the rows of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A row is a run, or a value of a run.
    #[default]
    Runs,
    /// A row is a request of a run.
    Requests,
    /// There are no rows: a run is a group of lines, and the columns are the metrics of the lines.
    Lines,
}

/// One way in which tables of unknown tools were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadAs {
    /// The tables: a path, with the line if the file has several.
    #[schemars(length(min = 1))]
    pub tables: Vec<String>,
    /// The reading in words, as every report prints it: `build = variant; isl = setting (2 cells); ttft_ms measured`.
    pub text: String,
    /// Number of cells of these runs; null without a setting, or if one file was read in several ways.
    pub cells: Option<usize>,
    /// Their columns, as far as they have a name and a cell.
    #[schemars(length(min = 1))]
    pub columns: Vec<Column>,
}

impl Column {
    /// The doubt about this column in words: `zeta may be the run; --run-column zeta`.
    fn doubt(&self) -> Option<String> {
        let close = self.close.as_ref()?;
        let what = match close.used {
            ColumnUse::Variant => "the variant",
            ColumnUse::Run => "the run",
            ColumnUse::Setting => "a setting",
            ColumnUse::Measured => "measured",
            _ => "something else",
        };
        Some(format!("{} may be {what}; {}", self.name, close.flag))
    }
}

impl Table {
    /// Doubts about the repeats among its rows, in words; `None` without doubts.
    pub fn doubts(&self) -> Option<String> {
        let doubtful = |column: &&Column| column.close.as_ref().is_some_and(|one| one.doubtful);
        let doubts: Vec<String> =
            self.columns.iter().filter(doubtful).filter_map(Column::doubt).collect();
        (!doubts.is_empty()).then(|| doubts.join(". "))
    }
}

impl Table {
    /// The columns that were read as metrics but may be settings, which would separate its rows.
    pub fn may_be_settings(&self) -> impl Iterator<Item = &str> {
        let pools = |one: &Close| one.doubtful && one.used == ColumnUse::Setting;
        let columns = self.columns.iter().filter(|column| column.used == ColumnUse::Measured);
        columns.filter(move |column| column.close.as_ref().is_some_and(pools)).map(|one| &*one.name)
    }
}

impl Input {
    /// The columns of its table; empty if it has several tables.
    pub fn columns(&self) -> &[Column] {
        match &self.tables[..] {
            [only] => &only.columns,
            _ => &[],
        }
    }
}

impl Dataset {
    /// How tables of unknown tools were read: one entry for all tables that were read alike.
    pub fn read_as(&self) -> Vec<ReadAs> {
        let mut found: Vec<(&Table, Vec<(&Input, &Table)>)> = Vec::new();
        for input in self.inputs.iter().filter(|input| input.runs > 0) {
            for table in input.tables.iter().filter(|one| !one.known && !one.columns.is_empty()) {
                let alike =
                    |other: &Table| other.rows == table.rows && other.columns == table.columns;
                match found.iter_mut().find(|(first, _)| alike(first)) {
                    Some((_, all)) => all.push((input, table)),
                    None => found.push((table, vec![(input, table)])),
                }
            }
        }
        let ways = |path: &str| {
            let of_file = |all: &[(&Input, &Table)]| all.iter().any(|(one, _)| one.path == path);
            found.iter().filter(|(_, all)| of_file(all)).count()
        };
        let reading = |(table, all): &(&Table, Vec<(&Input, &Table)>)| {
            self.one_reading(table, all, all.iter().any(|(input, _)| ways(&input.path) > 1))
        };
        found.iter().map(reading).collect()
    }

    /// The reading of equal tables; `mixed` if their files were read in other ways too.
    fn one_reading(&self, table: &Table, all: &[(&Input, &Table)], mixed: bool) -> ReadAs {
        let paths: BTreeSet<&str> = all.iter().map(|(input, _)| &*input.path).collect();
        let has = |used: ColumnUse| table.columns.iter().any(|column| column.used == used);
        let of_these = |run: &Run| paths.contains(&*run.source.path);
        let cells = self
            .groups
            .iter()
            .filter(|group| group.variants.iter().flat_map(|one| &one.runs).any(of_these));
        let cells = (has(ColumnUse::Setting) && !mixed).then(|| cells.count());
        let mut parts = Vec::new();
        if !has(ColumnUse::Variant) && !has(ColumnUse::ValuesOfVariant) {
            let all = self.runs().filter(|(.., run)| of_these(run));
            let variants: BTreeSet<(&str, &str)> =
                all.map(|(_, variant, run)| (&*run.source.path, &*variant.name)).collect();
            // Every file is one variant, or labels in the text name the variants.
            let one_each = variants.len() <= paths.len();
            parts.push(if one_each { "path = variant" } else { "label = variant" }.to_owned());
        }
        let uses: BTreeSet<ColumnUse> = table.columns.iter().map(|column| column.used).collect();
        for used in uses {
            let names = table.columns.iter().filter(|column| column.used == used);
            let names: Vec<&str> = names.map(|column| &*column.name).collect();
            parts.push(in_words(used, &names, cells));
        }
        let named = [
            ColumnUse::Run,
            ColumnUse::ValuesOfRun,
            ColumnUse::MetricNames,
            ColumnUse::ValuesOfVariant,
        ];
        let row = match table.rows {
            Rows::Requests => Some("row = request"),
            Rows::Lines => Some("group of lines = run"),
            Rows::Runs => (!named.into_iter().any(has)).then_some("row = run"),
        };
        let measured = parts.iter().position(|part| part.ends_with(" measured"));
        if let Some(row) = row {
            parts.insert(measured.unwrap_or(parts.len()), row.to_owned());
        }
        let doubts = table.columns.iter().filter_map(Column::doubt);
        parts.extend(doubts.map(|doubt| format!("close: {doubt}")));
        let place = |(input, table): &(&Input, &Table)| match &*table.place {
            "" => input.path.clone(),
            place => format!("{} ({place})", input.path),
        };
        ReadAs {
            tables: all.iter().map(place).collect(),
            text: parts.join("; "),
            cells,
            columns: table.columns.clone(),
        }
    }
}

/// The columns of one use, in words.
fn in_words(used: ColumnUse, names: &[&str], cells: Option<usize>) -> String {
    let several = names.len() > 1;
    let plural = if several { "s" } else { "" };
    let names = listed(names, MAX_NAMES);
    match used {
        ColumnUse::Variant | ColumnUse::ValuesOfVariant => format!("{names} = variant{plural}"),
        ColumnUse::Setting => {
            let cells = cells.filter(|cells| *cells > 1);
            let cells = cells.map_or(String::new(), |cells| format!(" ({cells} cells)"));
            format!("{names} = setting{plural}{cells}")
        }
        ColumnUse::Pooled => format!("{names} pooled"),
        ColumnUse::Run | ColumnUse::ValuesOfRun => format!("{names} = run{plural}"),
        ColumnUse::Pair => format!("{names} = pair"),
        ColumnUse::MetricNames => format!("{names} = metric names"),
        ColumnUse::Value => format!("{names} = value{plural}"),
        ColumnUse::Measured => format!("{names} measured"),
        ColumnUse::OfValue => format!("{names} = part{plural} of the value"),
        ColumnUse::Outcome => format!("{names} = outcome{plural}"),
        ColumnUse::Count => format!("{names} = count{plural}"),
        ColumnUse::Identity => format!("{names} = identity"),
        ColumnUse::Claim => format!("{names} checked as claim{plural}"),
        ColumnUse::LeftOut => format!("{names} left out"),
    }
}

/// The first names, and the number of the others.
fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The readings as lines of a report: the first three, then the number of the others. `inputs` is the number of files with
/// runs: if all were read alike, the line does not name them.
pub fn read_as_lines(readings: &[ReadAs], inputs: usize) -> Vec<String> {
    let alone = readings.len() == 1 && readings[0].tables.len() >= inputs;
    let line = |reading: &ReadAs| {
        if alone {
            return format!("Read as: {}.", reading.text);
        }
        format!("Read {} as: {}.", listed(&reading.tables, MAX_PLACES), reading.text)
    };
    let mut lines: Vec<String> = readings.iter().take(MAX_READINGS).map(line).collect();
    let rest = readings.get(MAX_READINGS..).unwrap_or_default();
    if !rest.is_empty() {
        let tables: usize = rest.iter().map(|reading| reading.tables.len()).sum();
        let noun = if tables == 1 { "table" } else { "tables" };
        lines.push(format!("{tables} more {noun} read in other ways: see `beyondnoise show`."));
    }
    lines
}
