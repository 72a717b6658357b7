//! A table of columns in memory, a Parquet file or a frame, read by rows and columns.
//!
//! Of a file its own types count, not those of the program that wrote it: a categorical column is stored as text.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::Range;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;

use polars::prelude::{
    ArrowDataType, ArrowSchema, Column, DataFrame, DataType, FileMetadata, ParallelStrategy,
    ParquetReader, PolarsResult, SerReader, TimeUnit,
};

use crate::kit::cell_value::{self, CellValue, power_of_column};
use crate::kit::limits::most_unpacked;
use crate::table::chunks::{RowCells, RowSource, Take, chunk_bytes};
use crate::table::parquet::cells::Cells;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;

/// Bytes of a cell, for the number of rows in a chunk.
const CELL: usize = 4;

/// Cells of a chunk that is a group of rows as the file has it.
const MOST: usize = 1 << 23;

/// Cells of a file up to which all its columns are read at once.
const FEW: usize = 1 << 20;

/// A table of columns.
pub(crate) struct ColumnarTable<'a> {
    pub(crate) path: &'a str,
    content: Content<'a>,
    columns: Vec<Stored>,
    /// Columns of lists and the like.
    nested: Vec<String>,
    /// Columns of bytes that are no text.
    no_texts: Mutex<BTreeSet<String>>,
    alone: bool,
}

/// Where the values are.
enum Content<'a> {
    Parquet(&'a [u8], Arc<FileMetadata>),
    Frame(&'a DataFrame),
}

/// A column of single values.
struct Stored {
    name: String,
    /// Its position in the table.
    position: usize,
    /// The power of ten that takes the ticks of a duration to the unit of the column.
    ticks: Option<i32>,
}

impl<'a> ColumnarTable<'a> {
    /// Reads the metadata of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if it is no Parquet file, or is cut off.
    pub(crate) fn open(path: &'a str, bytes: &'a [u8], alone: bool) -> Result<Self, Error> {
        let damaged = |found: String| damaged(path, &found);
        let (metadata, schema, written) = guarded(|| {
            let mut reader = ParquetReader::new(Cursor::new(bytes));
            let mut metadata = FileMetadata::clone(reader.get_metadata()?);
            // A duration is stored as a whole number, and only the writer's own types hold its unit.
            let written = reader.schema().ok();
            metadata.key_value_metadata = None;
            let metadata = Arc::new(metadata);
            let mut reader = ParquetReader::new(Cursor::new(bytes));
            reader.set_metadata(metadata.clone());
            let schema = reader.schema()?;
            let groups = metadata.row_groups.iter();
            let ends = groups.flat_map(|group| group.byte_ranges_iter().map(|range| range.end));
            let whole = ends.max().unwrap_or(0) <= bytes.len() as u64;
            Ok(whole.then_some((metadata, schema, written)))
        })
        .map_err(damaged)?
        .ok_or_else(|| damaged("columns beyond its end: it was cut off".to_owned()))?;
        for group in &metadata.row_groups {
            let size = |bytes: i64| u64::try_from(bytes).unwrap_or(u64::MAX);
            let chunks = group.parquet_columns().iter();
            let (packed, unpacked) = chunks.fold((0_u64, 0_u64), |(packed, unpacked), chunk| {
                let of_chunk = (size(chunk.compressed_size()), size(chunk.uncompressed_size()));
                (packed.saturating_add(of_chunk.0), unpacked.saturating_add(of_chunk.1))
            });
            let most = most_unpacked(packed);
            if unpacked > most {
                return Err(damaged(format!("more than {} MiB packed in it", most >> 20)));
            }
        }
        let (columns, nested) = columns(&schema, written.as_deref());
        let (content, no_texts) = (Content::Parquet(bytes, metadata), Mutex::default());
        Ok(Self { path, content, columns, nested, no_texts, alone })
    }

    /// A frame beside whose columns there are others of lists and the like, which are `nested`.
    pub(crate) fn of_frame(path: &'a str, frame: &'a DataFrame, nested: &[String]) -> Self {
        let columns = frame.columns().iter().enumerate().map(|(position, column)| {
            let name = column.name().to_string();
            let power = power_of_duration(column.dtype());
            let ticks = power.map(|power| power - power_of_column(name.trim()));
            Stored { name, position, ticks }
        });
        let (columns, no_texts) = (columns.collect(), Mutex::default());
        let content = Content::Frame(frame);
        Self { path, content, columns, nested: nested.to_vec(), no_texts, alone: true }
    }

    /// Names of the columns that can be read.
    pub(crate) fn headers(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// Notes on the columns that cannot be read.
    pub(crate) fn skipped_columns(&self) -> Vec<Skipped> {
        let note = |name: &String, why: &str| Skipped {
            place: format!("column {name}"),
            why: why.to_owned(),
        };
        let lists =
            "holds lists or records, which are not read: write a column of numbers for each metric";
        let no_text = "holds bytes that are not text: not read";
        let no_texts = self.no_texts.lock().unwrap_or_else(PoisonError::into_inner);
        let nested = self.nested.iter().map(|name| note(name, lists));
        nested.chain(no_texts.iter().map(|name| note(name, no_text))).collect()
    }

    pub(crate) fn rows(&self) -> usize {
        match &self.content {
            Content::Parquet(_, metadata) => metadata.num_rows,
            Content::Frame(frame) => frame.height(),
        }
    }

    /// Rows of a chunk: as writers cut their files into groups of equal size, whole groups or even parts of one, so that
    /// few pages are unpacked twice.
    fn chunk_rows(&self) -> usize {
        let wanted = (chunk_bytes() / CELL / self.columns.len().max(1)).max(1);
        let most = wanted.max(MOST / self.columns.len().max(1));
        let Content::Parquet(_, metadata) = &self.content else { return wanted };
        let Some(first) = metadata.row_groups.first() else { return wanted };
        match first.num_rows() {
            0 => wanted,
            group if group > most => group.div_ceil(group.div_ceil(most)),
            group => (wanted / group).max(1) * group,
        }
    }

    /// Gives some rows to `take`, with their numbers among them from 1.
    pub(crate) fn each_of(&self, rows: Range<usize>, take: &mut Take) -> Result<(), Error> {
        let block = Block::read(self, rows.clone())?;
        for row in 0..rows.len() {
            let more = take(row + 1, Ok(&RowOf { block: &block, row }));
            if let Some(error) = block.failed.take() {
                return Err(error);
            }
            if !more {
                break;
            }
        }
        Ok(())
    }

    /// Some columns of some rows.
    fn read(&self, positions: Vec<usize>, rows: &Range<usize>) -> Result<Vec<Column>, Error> {
        let (bytes, metadata) = match &self.content {
            Content::Parquet(bytes, metadata) => (*bytes, metadata),
            Content::Frame(frame) => {
                let start = i64::try_from(rows.start).unwrap_or(i64::MAX);
                let slice = |at: usize| frame.columns()[at].slice(start, rows.len());
                return Ok(positions.into_iter().map(slice).collect());
            }
        };
        let read = || {
            let mut reader = ParquetReader::new(Cursor::new(bytes))
                .with_projection(Some(positions))
                .with_slice(Some((rows.start, rows.len())))
                .read_parallel(ParallelStrategy::None)
                .set_rechunk(true);
            reader.set_metadata(metadata.clone());
            reader.finish()
        };
        let frame = guarded(read).map_err(|found| damaged(self.path, &found))?;
        let whole = frame.height() == rows.len();
        whole.then(|| frame.columns().to_vec()).ok_or_else(|| damaged(self.path, "too few values"))
    }
}

/// The columns of single values, and the names of the others.
fn columns(schema: &ArrowSchema, written: Option<&ArrowSchema>) -> (Vec<Stored>, Vec<String>) {
    let (mut columns, mut nested) = (Vec::new(), Vec::new());
    for (position, field) in schema.iter_values().enumerate() {
        let name = field.name.to_string();
        if !is_read(&field.dtype) {
            nested.push(name);
            continue;
        }
        let written = written.and_then(|written| written.get(&field.name));
        let power = written.and_then(|written| power_of_ticks(&written.dtype));
        let ticks = power.map(|power| power - power_of_column(name.trim()));
        columns.push(Stored { name, position, ticks });
    }
    (columns, nested)
}

/// Whether values of a type are read; of others, such as lists, polars cannot be asked.
pub fn is_read(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as Type;
    match dtype {
        Type::Dictionary(_, values, _) => is_read(values),
        Type::Null
        | Type::Boolean
        | Type::Int8
        | Type::Int16
        | Type::Int32
        | Type::Int64
        | Type::UInt8
        | Type::UInt16
        | Type::UInt32
        | Type::UInt64
        | Type::Float32
        | Type::Float64
        | Type::Timestamp(..)
        | Type::Date32
        | Type::Date64
        | Type::Time32(_)
        | Type::Time64(_)
        | Type::Duration(_)
        | Type::Utf8
        | Type::LargeUtf8
        | Type::Utf8View
        | Type::Binary
        | Type::LargeBinary
        | Type::BinaryView
        | Type::Decimal(..) => true,
        _ => false,
    }
}

/// The power of ten in seconds of the ticks of a type that counts time.
fn power_of_ticks(dtype: &ArrowDataType) -> Option<i32> {
    use polars::prelude::ArrowTimeUnit as Unit;
    match dtype {
        ArrowDataType::Duration(Unit::Second) => Some(0),
        ArrowDataType::Duration(Unit::Millisecond) => Some(-3),
        ArrowDataType::Duration(Unit::Microsecond) => Some(-6),
        ArrowDataType::Duration(Unit::Nanosecond) => Some(-9),
        _ => None,
    }
}

/// The power of ten in seconds of the ticks of a column that counts time.
fn power_of_duration(dtype: &DataType) -> Option<i32> {
    match dtype {
        DataType::Duration(TimeUnit::Milliseconds) => Some(-3),
        DataType::Duration(TimeUnit::Microseconds) => Some(-6),
        DataType::Duration(TimeUnit::Nanoseconds) => Some(-9),
        _ => None,
    }
}

impl RowSource for ColumnarTable<'_> {
    fn chunks(&self) -> usize {
        self.rows().div_ceil(self.chunk_rows())
    }

    fn side_by_side(&self) -> bool {
        self.alone
    }

    fn each(&self, chunk: usize, take: &mut Take) -> Result<usize, Error> {
        let start = chunk * self.chunk_rows();
        let rows = start..self.rows().min(start + self.chunk_rows());
        self.each_of(rows.clone(), take)?;
        Ok(rows.len())
    }
}

/// Some rows, of which a column is read when it is asked for.
pub(crate) struct Block<'a> {
    table: &'a ColumnarTable<'a>,
    rows: Range<usize>,
    columns: Vec<OnceCell<Cells>>,
    /// Why a column could not be read.
    failed: Cell<Option<Error>>,
}

impl<'a> Block<'a> {
    fn read(table: &'a ColumnarTable, rows: Range<usize>) -> Result<Self, Error> {
        let columns = table.columns.iter().map(|_| OnceCell::new()).collect();
        let block = Self { table, rows, columns, failed: Cell::new(None) };
        if table.rows().saturating_mul(table.columns.len()) <= FEW {
            let all = table.columns.iter().map(|column| column.position).collect();
            for (at, column) in table.read(all, &block.rows)?.iter().enumerate() {
                block.columns[at].get_or_init(|| block.cells(at, column));
            }
        }
        Ok(block)
    }

    fn cells(&self, at: usize, column: &Column) -> Cells {
        let stored = &self.table.columns[at];
        let cells = Cells::new(column, stored.ticks);
        if cells.is_no_text() {
            let no_texts = self.table.no_texts.lock();
            no_texts.unwrap_or_else(PoisonError::into_inner).insert(stored.name.clone());
        }
        cells
    }

    /// The number of columns.
    pub(crate) fn count(&self) -> usize {
        self.columns.len()
    }

    /// The cells of a column.
    pub(crate) fn column(&self, at: usize) -> &Cells {
        self.columns[at].get_or_init(|| {
            let position = self.table.columns[at].position;
            match self.table.read(vec![position], &self.rows) {
                Ok(columns) => self.cells(at, &columns[0]),
                Err(error) => {
                    self.failed.set(Some(error));
                    Cells::default()
                }
            }
        })
    }
}

/// The name of threads in which polars may panic on a damaged file; such a panic ends the thread and is not printed.
const GUARDED: &str = "parquet";

/// Calls polars on bytes that may be damaged.
fn guarded<T: Send>(read: impl FnOnce() -> PolarsResult<T> + Send) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(GUARDED) {
                before(info);
            }
        }));
    });
    let read = thread::scope(|scope| {
        let guarded = thread::Builder::new().name(GUARDED.to_owned()).spawn_scoped(scope, read);
        guarded.map(thread::ScopedJoinHandle::join)
    });
    match read {
        Ok(Ok(Ok(read))) => Ok(read),
        Ok(Ok(Err(error))) => Err(error.to_string()),
        Ok(Err(_)) => Err("damaged data".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn damaged(path: &str, found: &str) -> Error {
    let problem = format!("expected a Parquet table, found something else: {found}");
    Error::file(path, problem, "write the file again")
}

/// One row of a block.
pub(crate) struct RowOf<'a> {
    pub(crate) block: &'a Block<'a>,
    pub(crate) row: usize,
}

impl RowCells for RowOf<'_> {
    fn count(&self) -> usize {
        self.block.count()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.block.column(column).text(self.row))
    }

    fn read(&self, column: usize, header: &str, comma: bool) -> CellValue {
        match &self.block.column(column).numbers {
            Some(numbers) if numbers[self.row].is_nan() => CellValue::Empty,
            Some(numbers) => CellValue::Number(numbers[self.row]),
            None => cell_value::read(&self.text(column), header, comma),
        }
    }
}
