//! Rows of one table of an `SQLite` 3 file, read from its pages without the library.
//!
//! The format is documented at <https://www.sqlite.org/fileformat2.html>. Only tables with row numbers are
//! read, and only text that is UTF-8. Blobs are passed over: nothing stored in a file is ever run or
//! unpickled. A file that does not keep to the format gives `None`.

/// Deepest tree that is followed; a real one of this depth would not fit on any disk.
const DEEPEST: usize = 24;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SqlValue {
    Null,
    Number(f64),
    Text(String),
    Blob,
}

/// The definition of a table and its rows, each with a cell per column.
pub(super) struct Rows {
    /// Names of the columns in their order.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<SqlValue>>,
}

struct File<'a> {
    bytes: &'a [u8],
    page: usize,
    usable: usize,
}

/// Pages that a walk may still visit.
struct Left {
    pages: usize,
    /// Of rows.
    bytes: usize,
}

/// The table of this name.
pub(super) fn table(bytes: &[u8], name: &str) -> Option<Rows> {
    if !bytes.starts_with(b"SQLite format 3\0") {
        return None;
    }
    let page = match u16::from_be_bytes([*bytes.get(16)?, *bytes.get(17)?]) {
        1 => 65_536,
        size => usize::from(size),
    };
    let usable = page.checked_sub(usize::from(*bytes.get(20)?)).filter(|usable| *usable >= 480)?;
    let file = File { bytes, page, usable };
    // The schema: type, name, table, first page, definition.
    let mut schema = Vec::new();
    file.tree(1, 0, &mut file.left(), &mut schema)?;
    let entry = schema.iter().find(|row| {
        matches!(row.get(..2), Some([SqlValue::Text(kind), SqlValue::Text(known)]) if kind == "table" && known == name)
    })?;
    let (Some(SqlValue::Number(root)), Some(SqlValue::Text(sql))) = (entry.get(3), entry.get(4))
    else {
        return None;
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of a page, and saturating"
    )]
    let root = *root as usize;
    let mut rows = Vec::new();
    file.tree(root, 0, &mut file.left(), &mut rows)?;
    Some(Rows { columns: columns(sql), rows })
}

/// Names of the columns of a simple `CREATE TABLE`.
fn columns(sql: &str) -> Vec<String> {
    let inner = sql.split_once('(').map_or("", |(_, rest)| rest.trim_end().trim_end_matches(')'));
    let name =
        |part: &str| part.split_whitespace().next().map(|n| n.trim_matches(['"', '`']).to_owned());
    inner.split(',').filter_map(name).collect()
}

impl<'a> File<'a> {
    /// All that a walk may visit: a damaged file may lead in circles, and to the same row again and again.
    fn left(&self) -> Left {
        Left { pages: self.bytes.len() / self.page + 1, bytes: self.bytes.len() }
    }

    fn page_at(&self, number: usize) -> Option<&'a [u8]> {
        let start = number.checked_sub(1)?.checked_mul(self.page)?;
        self.bytes.get(start..start.checked_add(self.page)?)
    }

    /// All rows below a page of a table.
    fn tree(
        &self,
        number: usize,
        depth: usize,
        left: &mut Left,
        rows: &mut Vec<Vec<SqlValue>>,
    ) -> Option<()> {
        left.pages = left.pages.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let page = self.page_at(number)?;
        // The first page starts with the header of the file.
        let header = if number == 1 { 100 } else { 0 };
        let kind = *page.get(header)?;
        let cells = usize::from(be16(page, header + 3)?);
        let pointers = header + if kind == 0x05 { 12 } else { 8 };
        for index in 0..cells {
            let at = usize::from(be16(page, pointers + 2 * index)?);
            match kind {
                0x05 => self.tree(be32(page, at)?, depth + 1, left, rows)?,
                0x0d => rows.push(self.row(page, at, left)?),
                _ => return None,
            }
        }
        match kind {
            0x05 => self.tree(be32(page, header + 8)?, depth + 1, left, rows),
            0x0d => Some(()),
            _ => None,
        }
    }

    fn row(&self, page: &[u8], at: usize, left: &mut Left) -> Option<Vec<SqlValue>> {
        let (size, at) = varint(page, at)?;
        let (_, at) = varint(page, at)?;
        let size = usize::try_from(size).ok()?;
        left.bytes = left.bytes.checked_sub(size)?;
        let payload = self.payload(page, at, size)?;
        record(&payload)
    }

    /// The bytes of a row, which go on in further pages where they do not fit into one.
    fn payload(&self, page: &[u8], at: usize, size: usize) -> Option<Vec<u8>> {
        let most = self.usable - 35;
        if size <= most {
            return page.get(at..at.checked_add(size)?).map(<[u8]>::to_vec);
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let wanted = least + (size - least) % (self.usable - 4);
        let here = if wanted <= most { wanted } else { least };
        let mut bytes = page.get(at..at + here)?.to_vec();
        let mut next = be32(page, at + here)?;
        while bytes.len() < size {
            let more = self.page_at(next)?;
            next = be32(more, 0)?;
            let take = (size - bytes.len()).min(self.usable - 4);
            bytes.extend_from_slice(more.get(4..4 + take)?);
        }
        Some(bytes)
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<usize> {
    let value = u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
    usize::try_from(value).ok()
}

/// A number of one to nine bytes, and where it ends.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for offset in 0..8 {
        let byte = *bytes.get(at + offset)?;
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, at + offset + 1));
        }
    }
    Some((value << 8 | u64::from(*bytes.get(at + 8)?), at + 9))
}

fn record(payload: &[u8]) -> Option<Vec<SqlValue>> {
    let (header, mut at) = varint(payload, 0)?;
    let header = usize::try_from(header).ok()?;
    let mut body = header;
    let mut cells = Vec::new();
    while at < header {
        let (kind, next) = varint(payload, at)?;
        at = next;
        let size = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            text_or_blob => usize::try_from((text_or_blob - 12) / 2).ok()?,
        };
        let bytes = payload.get(body..body.checked_add(size)?)?;
        body += size;
        cells.push(match kind {
            0 => SqlValue::Null,
            7 => SqlValue::Number(f64::from_be_bytes(bytes.try_into().ok()?)),
            8 => SqlValue::Number(0.0),
            9 => SqlValue::Number(1.0),
            1..=6 => SqlValue::Number(signed(bytes) as f64),
            odd if odd % 2 == 1 => SqlValue::Text(String::from_utf8_lossy(bytes).into_owned()),
            _ => SqlValue::Blob,
        });
    }
    Some(cells)
}

/// A whole number with its sign in the first bit.
fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let start = if negative { -1 } else { 0 };
    bytes.iter().fold(start, |value, byte| value << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_keep_their_sign() {
        assert_eq!(signed(&[0xff]), -1);
        assert_eq!(signed(&[0x01, 0x00]), 256);
        assert_eq!(varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(varint(&[0x80], 0), None);
    }

    #[test]
    fn a_row_that_is_pointed_at_again_and_again_fills_no_memory() {
        let mut bytes = vec![0; 1024];
        // The first page: a leaf with cells that all start at byte 400.
        bytes[100] = 0x0d;
        for index in 0..100 {
            bytes[108 + 2 * index..][..2].copy_from_slice(&400_u16.to_be_bytes());
        }
        // A row of 59 bytes: its size, its number, a header of two bytes, a text of 57.
        bytes[400..404].copy_from_slice(&[59, 1, 2, 127]);
        let rows_of = |count: u8| {
            let mut bytes = bytes.clone();
            bytes[104] = count;
            let (file, mut rows) = (File { bytes: &bytes, page: 512, usable: 512 }, Vec::new());
            file.tree(1, 0, &mut file.left(), &mut rows).map(|()| rows.len())
        };
        // 17 times 59 bytes are fewer than the 1024 of the file.
        assert_eq!(rows_of(17), Some(17));
        assert_eq!(rows_of(18), None);
    }

    #[test]
    fn what_is_no_database_is_nothing() {
        assert!(table(b"", "result").is_none());
        let mut empty = b"SQLite format 3\0\x10\x00\x01\x01\x00\x40\x20\x20".to_vec();
        empty.resize(4096, 0);
        assert!(table(&empty, "result").is_none());
    }
}
