//! Tidy tables in S3, read by polars' cloud reader.

use polars::io::path_utils::expand_paths;
use polars::prelude::{LazyFrame, PlRefPath, PolarsError, ScanArgsParquet};
use polars_core::runtime::ASYNC;

use crate::reader::{Found, Options};
use crate::table::parquet;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Dataset, Input};

/// Whether `address` is one of S3.
pub fn is_remote(address: &str) -> bool {
    address.starts_with("s3://")
}

/// Reads all Parquet objects below `address`, an S3 prefix such as `s3://bucket/history`.
///
/// The credentials, the region and the endpoint are those of the environment (`AWS_ACCESS_KEY_ID`,
/// `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ALLOW_HTTP`).
///
/// # Errors
///
/// [`Error::Input`] with the reason of the reader, or for a table that holds something else.
pub fn load_remote(address: &str, options: &Options) -> Result<Dataset, Error> {
    let failed = |error: &PolarsError| {
        // The reason is followed by the whole answer of the server.
        let reason = error.to_string();
        let reason = reason.lines().next().unwrap_or_default();
        let problem = format!("expected Parquet objects that can be read, found: {reason}");
        Error::file(address, problem, "check the address and the credentials in the environment")
    };
    let pattern = PlRefPath::new(format!("{}/**/*.parquet", address.trim_end_matches('/')));
    let objects = ASYNC
        .block_on(expand_paths(&[pattern], true, &[], &mut None))
        .map_err(|error| failed(&error))?;
    if objects.is_empty() {
        let remedy = "fill it with copies of the files that history add writes";
        return Err(Error::file(address, "expected Parquet objects, found none", remedy));
    }
    let (mut runs, mut inputs) = (Vec::new(), Vec::new());
    // One by one: their columns differ with the settings of their workloads.
    for object in objects.iter() {
        let path = object.as_str().to_owned();
        let frame = LazyFrame::scan_parquet(object.clone(), ScanArgsParquet::default())
            .and_then(LazyFrame::collect)
            .map_err(|error| failed(&error))?;
        let found = parquet::read_frame(&path, (&frame, &[]), options)?;
        let format = Some(parquet::READER.name);
        let Found { runs: own, skipped, tables, .. } = found;
        inputs.push(Input { path: path.clone(), format, runs: own.len(), skipped, tables });
        runs.extend(own);
    }
    Ok(Dataset::assemble(runs, inputs))
}
