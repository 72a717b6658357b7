//! Parquet in a build without the feature `tables`: recognised, and refused with what is missing.

use crate::reader::Reader;
use beyondnoise_model::error::Error;

pub(crate) const READER: Reader = Reader {
    name: "parquet table",
    recognised_by: "the bytes PAR1 at its start",
    one_run: "none: this beyondnoise was built without tables",
    recognise: |content, _| content.bytes.starts_with(b"PAR1"),
    read: |content, _| {
        Err(Error::file(
            content.path,
            "expected a file that this build can read, found Parquet: the build lacks the feature `tables`",
            "build it with its default features, or give the table as CSV",
        ))
    },
    ..Reader::EMPTY
};
