//! The row groups of a Parquet file, read by rows and columns.
//!
//! A large file is mapped for as long as some blocks are read, so that what was read does not stay in memory; it must
//! not be cut while it is. Its own types count, not those of the program that wrote it: a categorical column is stored
//! as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Cursor};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use polars::polars_utils::mmap::MMapSemaphore;
use polars::prelude::{PolarsError, PolarsResult};
use polars_arrow::array::Array;
use polars_arrow::bitmap::MutableBitmap;
use polars_arrow::datatypes::Field;
use polars_buffer::Buffer;
use polars_parquet::parquet::page::CompressedPage;
use polars_parquet::read::schema::{infer_schema, parquet_to_arrow_schema};
use polars_parquet::read::{
    BasicDecompressor, FileMetadata, Filter, PageReader, RowGroupMetadata, column_iter_to_arrays,
    read_metadata,
};
use rayon::prelude::*;

use crate::error::Error;
use crate::read::cell_value::power_of_column;
use crate::read::files::most_unpacked;
use crate::read::reduce::{Block, Column, Columnar, Form, Piece};
use crate::read::table::records::Row;
use crate::runs::Skipped;

use super::arrays::{
    in_unit, is_fixed, is_no_text, numbers_in_unit, part, power_of_ticks, strings, texts, type_of,
};
use super::guard::{damaged, guarded, too_much};

/// Bytes of a file above which it is not held in memory, and its blocks are read side by side.
const LARGE: u64 = 32 << 20;

/// Cells of a file up to which its numbers and times are kept from when it is looked at until they are read.
const KEPT: usize = 2 << 20;

/// Values of a column.
type Arrays = Vec<Box<dyn Array>>;

/// Where the file is.
pub(super) enum Bytes<'a> {
    Memory(Buffer<u8>),
    File(&'a Path),
}

impl<'a> Bytes<'a> {
    pub(super) fn from_vec(bytes: Vec<u8>) -> Self {
        Self::Memory(Buffer::from_vec(bytes))
    }

    /// Those of a file: all of a small one, which may change from here on.
    pub(super) fn of_file(file: &'a Path) -> io::Result<Self> {
        let small = fs::metadata(file)?.len() <= LARGE;
        Ok(if small { Self::from_vec(fs::read(file)?) } else { Self::File(file) })
    }
}

/// A table in a Parquet file.
pub(super) struct Parquet<'a> {
    pub(super) path: &'a str,
    bytes: Bytes<'a>,
    metadata: FileMetadata,
    /// Columns of single values.
    fields: Vec<Field>,
    /// Powers of ten that take the ticks of columns of durations to the unit of the column.
    ticks: Vec<i32>,
    /// Columns of lists and the like.
    nested: Vec<String>,
    /// Columns of bytes that are no text.
    no_texts: Mutex<BTreeSet<String>>,
    large: bool,
    /// Columns of numbers and times of a small file that were unpacked and not read to their end.
    kept: Mutex<BTreeMap<usize, Arrays>>,
}

impl<'a> Parquet<'a> {
    /// Reads the metadata of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if it is no Parquet file, or is cut off; [`Error::Io`].
    pub(super) fn open(path: &'a str, bytes: Bytes<'a>) -> Result<Self, Error> {
        let io = |source| Error::Io { path: path.to_owned(), doing: "read", source };
        let (metadata, length) = match &bytes {
            Bytes::Memory(bytes) => {
                let read = || read_metadata(&mut Cursor::new(bytes.as_slice()));
                (guarded(path, read)?, bytes.len() as u64)
            }
            Bytes::File(file) => {
                let mut file = fs::File::open(file).map_err(io)?;
                let length = file.metadata().map_err(io)?.len();
                (guarded(path, || read_metadata(&mut file))?, length)
            }
        };
        let (stored, ends) = guarded(path, || {
            let fields = metadata.schema().fields();
            let groups = metadata.row_groups.iter();
            let ends = groups.flat_map(|group| group.byte_ranges_iter().map(|range| range.end));
            Ok((parquet_to_arrow_schema(fields), ends.max().unwrap_or(0)))
        })?;
        if ends > length {
            return Err(damaged(path, "columns beyond its end: it was cut off"));
        }
        for group in &metadata.row_groups {
            let chunks = || group.parquet_columns().iter();
            let size = |bytes: i64| u64::try_from(bytes).unwrap_or(u64::MAX);
            let packed = chunks().map(|chunk| size(chunk.compressed_size()));
            let unpacked = chunks().map(|chunk| size(chunk.uncompressed_size()));
            let packed = packed.fold(0, u64::saturating_add);
            if unpacked.fold(0, u64::saturating_add) > most_unpacked(packed) {
                return Err(damaged(path, &too_much(most_unpacked(packed))));
            }
        }
        if stored.len() != metadata.schema().fields().len() {
            let problem = "expected every column once, found one twice";
            return Err(Error::file(path, problem, "rename or remove one of them"));
        }
        // A duration is stored as a whole number, and only the writer's own types hold its unit.
        let written = guarded(path, || infer_schema(&metadata)).ok();
        let (mut fields, mut ticks, mut nested) = (Vec::new(), Vec::new(), Vec::new());
        for field in stored.iter_values() {
            let written = written.as_ref().and_then(|schema| schema.get(&field.name));
            let power = written.and_then(|written| power_of_ticks(&written.dtype));
            match type_of(&field.dtype) {
                Some(dtype) => {
                    let own = || power_of_column(field.name.trim());
                    ticks.push(power.map_or(0, |power| power - own()));
                    fields.push(Field { dtype, ..field.clone() });
                }
                None => nested.push(field.name.to_string()),
            }
        }
        let kept = Mutex::default();
        let (large, no_texts) = (length > LARGE, Mutex::default());
        Ok(Self { path, bytes, metadata, fields, ticks, nested, no_texts, large, kept })
    }

    /// Names of the columns that can be read.
    pub(super) fn headers(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.name.to_string()).collect()
    }

    /// Notes on the columns that cannot be read.
    pub(super) fn skipped_columns(&self) -> Vec<Skipped> {
        let why =
            "holds lists or records, which are not read: write a column of numbers for each metric";
        let left_out =
            |name: &String| Skipped { place: format!("column {name}"), why: why.to_owned() };
        let no_text = |name: &String| Skipped {
            place: format!("column {name}"),
            why: "holds bytes that are not text: not read".to_owned(),
        };
        let no_texts = self.no_texts.lock().unwrap_or_else(PoisonError::into_inner);
        self.nested.iter().map(left_out).chain(no_texts.iter().map(no_text)).collect()
    }

    /// Rows in the groups before one.
    fn rows_before(&self, group: usize) -> usize {
        self.metadata.row_groups[..group].iter().map(RowGroupMetadata::num_rows).sum()
    }

    /// Groups and rows of the sample that shows the layout of the table: the first `most`; of more than `whole` rows
    /// half of them from the start, and the rest from four places up to the end.
    pub(super) fn sample(&self, most: usize, whole: usize) -> Vec<(usize, Vec<Range<usize>>)> {
        let all = self.rows_before(self.metadata.row_groups.len());
        let parts: Vec<Range<usize>> = if all <= whole || most >= whole {
            std::iter::once(0..all.min(most.max(whole))).collect()
        } else {
            let (first, next) = (most / 2, most / 8);
            let place = |part: usize| first + (all - first - next) / 4 * part;
            std::iter::once(0..first)
                .chain((1..=4).map(|part| place(part)..place(part) + next))
                .collect()
        };
        let mut before = 0;
        let mut sample = Vec::new();
        for (index, group) in self.metadata.row_groups.iter().enumerate() {
            let end = before + group.num_rows();
            let own = |part: &Range<usize>| {
                let (start, stop) = (part.start.max(before), part.end.min(end));
                (start < stop).then(|| start - before..stop - before)
            };
            let rows: Vec<Range<usize>> = parts.iter().filter_map(own).collect();
            if !rows.is_empty() {
                sample.push((index, rows));
            }
            before = end;
        }
        sample
    }

    /// The bytes of the file, which are in memory only as far as they are looked at.
    fn mapped(&self) -> Result<Buffer<u8>, Error> {
        match &self.bytes {
            Bytes::Memory(bytes) => Ok(bytes.clone()),
            Bytes::File(file) => {
                let io = |source| Error::Io { path: self.path.to_owned(), doing: "read", source };
                let file = fs::File::open(file).map_err(io)?;
                let mapped = guarded(self.path, || MMapSemaphore::new_from_file(&file))?;
                Ok(Buffer::from_owner(mapped))
            }
        }
    }

    /// The cells of one column in some rows.
    fn column(
        &self,
        bytes: &Buffer<u8>,
        piece: &Piece,
        column: usize,
        form: Form,
    ) -> Result<Column, Error> {
        let ticks = self.ticks[column];
        let cells = |arrays: &[Box<dyn Array>]| match form {
            Form::Text if ticks == 0 => texts(arrays),
            _ => numbers_in_unit(arrays, ticks),
        };
        let Range { start, end } = piece.rows;
        if let Some(kept) = self.kept(column, end) {
            return Ok(cells(&part(&kept, &piece.rows)));
        }
        let rows = (piece.group, Some(Filter::new_ranged(start, end)), piece.rows.len());
        self.arrays(bytes, rows, &self.fields[column], cells)
    }

    /// The cached part of a column; dropped once it is read to its end.
    fn kept(&self, column: usize, end: usize) -> Option<Arrays> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if end == self.metadata.num_rows {
            kept.remove(&column)
        } else {
            kept.get(&column).cloned()
        }
    }

    /// A column of a small file, which is kept.
    fn whole(&self, bytes: &Buffer<u8>, column: usize) -> Result<Arrays, Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arrays) = kept.get(&column) {
            return Ok(arrays.clone());
        }
        let rows = (0, None, self.metadata.row_groups[0].num_rows());
        let arrays = self.arrays(bytes, rows, &self.fields[column], <[_]>::to_vec)?;
        kept.insert(column, arrays.clone());
        Ok(arrays)
    }

    /// Some rows of a group as text.
    pub(super) fn rows(&self, group: usize, rows: &[Range<usize>]) -> Result<Vec<Row>, Error> {
        let bytes = self.mapped()?;
        let all: Vec<usize> = rows.iter().cloned().flatten().collect();
        let filter = || {
            if let [rows] = rows {
                return Filter::new_ranged(rows.start, rows.end);
            }
            let mut inside = MutableBitmap::new();
            for rows in rows {
                inside.extend_constant(rows.start - inside.len(), false);
                inside.extend_constant(rows.len(), true);
            }
            let rest = self.metadata.row_groups[group].num_rows() - inside.len();
            inside.extend_constant(rest, false);
            Filter::new_masked(inside.into())
        };
        let height = self.metadata.row_groups[group].num_rows();
        let small =
            self.metadata.row_groups.len() == 1 && height.saturating_mul(self.fields.len()) <= KEPT;
        let column = |(at, field): (usize, &Field)| -> Result<std::vec::IntoIter<String>, Error> {
            let texts = if small && is_fixed(&field.dtype) {
                let whole = self.whole(&bytes, at)?;
                let parts: Arrays = rows.iter().flat_map(|rows| part(&whole, rows)).collect();
                strings(&parts)
            } else {
                let mut no_text = false;
                let texts = |arrays: &[Box<dyn Array>]| {
                    no_text = is_no_text(arrays);
                    strings(arrays)
                };
                let found =
                    self.arrays(&bytes, (group, Some(filter()), all.len()), field, texts)?;
                if no_text {
                    let mut known = self.no_texts.lock().unwrap_or_else(PoisonError::into_inner);
                    known.insert(field.name.to_string());
                }
                found
            };
            let texts = in_unit(texts, self.ticks[at]);
            Ok(texts.into_iter())
        };
        let columns = self.fields.iter().enumerate().map(column);
        let mut columns: Vec<_> = columns.collect::<Result<_, _>>()?;
        let before = self.rows_before(group);
        let row = |row: &usize| Row {
            number: before + row + 1,
            cells: columns.iter_mut().map(|cells| cells.next().unwrap_or_default()).collect(),
        };
        Ok(all.iter().map(row).collect())
    }

    /// Applies `make` to the values of one column in some rows of a group.
    fn arrays<T>(
        &self,
        bytes: &Buffer<u8>,
        (group, filter, rows): (usize, Option<Filter>, usize),
        field: &Field,
        make: impl FnOnce(&[Box<dyn Array>]) -> T,
    ) -> Result<T, Error> {
        let values = guarded(self.path, || {
            let arrays = self.decoded(bytes, group, filter, field)?;
            let found: usize = arrays.iter().map(|array| array.len()).sum();
            Ok((found == rows).then(|| make(&arrays)))
        })?;
        values.ok_or_else(|| damaged(self.path, &format!("too few values in \"{}\"", field.name)))
    }

    fn decoded(
        &self,
        bytes: &Buffer<u8>,
        group: usize,
        filter: Option<Filter>,
        field: &Field,
    ) -> PolarsResult<Arrays> {
        let group = &self.metadata.row_groups[group];
        let chunks = group.columns_under_root_iter(&field.name);
        let Some(chunk) = chunks.and_then(|mut chunks| chunks.next()) else {
            return Ok(Vec::new());
        };
        let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let range = chunk.byte_range();
        let own = bytes.clone().sliced(position(range.start)..position(range.end));
        let pages = |own| PageReader::new(Cursor::new(own), chunk, Vec::new(), usize::MAX);
        let most = most_unpacked(own.len() as u64);
        let unpacked = pages(own.clone()).try_fold(0, |sum: u64, page| {
            PolarsResult::Ok(match page? {
                CompressedPage::Data(page) => sum.saturating_add(page.uncompressed_size() as u64),
                CompressedPage::Dict(_) => sum,
            })
        })?;
        if unpacked > most {
            return Err(PolarsError::ComputeError(too_much(most).into()));
        }
        let pages = vec![BasicDecompressor::new(pages(own), Vec::new())];
        let stored = vec![&chunk.descriptor().descriptor.primitive_type];
        Ok(column_iter_to_arrays(pages, stored, field.clone(), filter)?.0)
    }
}

impl Columnar for Parquet<'_> {
    fn is_large(&self) -> bool {
        self.large
    }

    fn pieces(&self, most: usize) -> Box<dyn Iterator<Item = Piece> + '_> {
        let groups = self.metadata.row_groups.iter().enumerate();
        Box::new(groups.flat_map(move |(group, of)| {
            let rows = of.num_rows();
            let piece = move |start: usize| {
                let end = rows.min(start.saturating_add(most));
                Piece { group, rows: start..end }
            };
            (0..rows).step_by(most).map(piece)
        }))
    }

    fn blocks(
        &self,
        pieces: &[Piece],
        wanted: &BTreeMap<usize, Form>,
    ) -> Result<Vec<Block>, Error> {
        let bytes = self.mapped()?;
        let block = |piece: &Piece| {
            let columns = (0..self.fields.len()).map(|column| match wanted.get(&column) {
                Some(&form) => self.column(&bytes, piece, column, form),
                None => Ok(Column::Unread),
            });
            Ok(Block { rows: piece.rows.len(), columns: columns.collect::<Result<_, _>>()? })
        };
        if self.large {
            pieces.par_iter().map(block).collect()
        } else {
            pieces.iter().map(block).collect()
        }
    }
}
