//! The results of a run: found, read once, and named in the journal by their bytes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use beyondnoise::error::{Error, chain};
use beyondnoise::journal::{ENVIRONMENT_FILE, ResultFile, TIME_FILE};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use crate::experiment::attempt::{Attempt, Bench, Failure, LOG, tail};
use crate::experiment::child::Ended;
use crate::experiment::plan::writes_a_file;

impl Bench<'_> {
    /// The files with the results of a run, on the disk, and the value of its leading metric.
    pub(super) fn results(
        &mut self,
        run: &Attempt,
        ended: &Ended,
    ) -> Result<(String, Vec<ResultFile>), Failure> {
        let files = if writes_a_file(&run.variant.bench) {
            written(run.values.folder)?
        } else if run.variant.serve.is_some() {
            vec![run.log("bench", "out")]
        } else {
            vec![timed(run, ended)?]
        };
        if files.is_empty() {
            let out = run.values.out().display().to_string();
            let why = format!(
                "the benchmark of {} wrote no {out}{}",
                run.variant.name,
                tail(run, "bench")
            );
            return Err(Failure::Again(why));
        }
        let (value, files) = self
            .judge
            .value(&files)
            .map_err(|error| Failure::Again(format!("{}{}", chain(&error), tail(run, "bench"))))?;
        let mut results = Vec::new();
        for file in files {
            let failed =
                |source| Error::Io { path: file.display().to_string(), doing: "read", source };
            let bytes = fs::read(&file).map_err(failed)?;
            File::open(&file).and_then(|file| file.sync_all()).map_err(failed)?;
            let hash = format!("{:032x}", xxh3_128(&bytes));
            let is_timed = file.ends_with(TIME_FILE);
            if let Some(earlier) = self.known.get(&hash).filter(|_| !is_timed) {
                return Err(Failure::Again(format!(
                    "the benchmark of {} wrote the same result as run {earlier}, byte for byte: {}",
                    run.variant.name,
                    file.display()
                )));
            }
            let below = file.strip_prefix(run.values.folder).unwrap_or(&file);
            let parts = below.components().map(|part| part.as_os_str().to_string_lossy());
            let path = parts.fold(run.which.run.clone(), |path, part| format!("{path}/{part}"));
            results.push(ResultFile { path, hash });
        }
        Ok((value, results))
    }
}

/// The files that a benchmark wrote into the folder of its run.
fn written(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| Error::Io {
            path: folder.display().to_string(),
            doing: "read",
            source: error.into(),
        })?;
        let own = entry.path().extension().is_some_and(|ending| ending == LOG);
        if entry.file_type().is_file() && !own && entry.file_name() != ENVIRONMENT_FILE {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// Writes the time of a command in hyperfine's format.
fn timed(run: &Attempt, ended: &Ended) -> Result<PathBuf, Error> {
    let file = run.values.folder.join(TIME_FILE);
    let memory: Vec<u64> = ended.peak.into_iter().collect();
    let result = json!({"results": [{
        "command": run.values.fill(&run.variant.bench),
        "times": [ended.wall],
        "user": ended.user,
        "system": ended.system,
        "memory_usage_byte": memory,
        "exit_codes": [ended.code],
    }]});
    let text = format!("{result:#}\n");
    fs::write(&file, text).map_err(|source| Error::Io {
        path: file.display().to_string(),
        doing: "write",
        source,
    })?;
    Ok(file)
}
