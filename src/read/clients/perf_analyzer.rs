//! Triton's `perf_analyzer -f`: a CSV with a row per concurrency or request rate.
//!
//! Replicate: a file; rows of one file are different loads. Latencies are in microseconds.

use crate::kit::prelude::*;

pub(crate) const CSV: Reader = Reader {
    name: "perf_analyzer csv",
    marks: Marks::Starts(&["Concurrency,Inferences/Second,", "Request Rate,Inferences/Second,"]),
    one_run: "a file; its rows are different loads",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

fn read(file: &mut Reading) -> Result<(), Error> {
    for row in file.csv_rows()? {
        let row = row?;
        let mut builder = file.run("perf_analyzer", row.line, "line");
        for (name, cell) in row.cells() {
            let Some(number) = number(cell) else { continue };
            match name {
                "Concurrency" => builder.concurrency(Some(number.value)),
                "Request Rate" => builder.rate(Some(number.value)),
                "Inferences/Second" => builder.put("request_throughput", number),
                _ => {
                    if let Some(word) = name.to_lowercase().strip_suffix(" latency") {
                        builder.latency(word, "e2el", Number::binary(number.value).times(US));
                    }
                }
            }
        }
        builder.timed();
        file.add(builder)?;
    }
    file.needs_rows()
}
