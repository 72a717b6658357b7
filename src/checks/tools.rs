//! Clients define metrics of the same name differently, so results of two clients are never compared.

/// A way to count, with the clients known to count so.
struct Definition {
    what: &'static str,
    how: &'static str,
    clients: &'static [&'static str],
}

/// Definitions as the sources of the clients have them; of others nothing is claimed.
const DEFINITIONS: &[Definition] = &[
    Definition {
        what: "percentiles",
        how: "by interpolation",
        clients: &["vllm", "sglang", "inferencex", "aiperf"],
    },
    Definition {
        what: "percentiles",
        how: "as one of the values",
        clients: &["evalscope", "guidellm", "mlperf"],
    },
    Definition {
        what: "ITL",
        how: "over the chunks of all requests",
        clients: &["vllm", "sglang", "inferencex"],
    },
    Definition { what: "ITL", how: "as the mean of each request", clients: &["llmperf"] },
];

/// In what the definitions of two clients are known to differ: `vllm takes percentiles by interpolation,
/// guidellm as one of the values`.
pub(super) fn differences(a: &str, b: &str) -> Vec<String> {
    let of = |client: &str, what: &str| {
        let fits = |known: &&Definition| known.what == what && known.clients.contains(&client);
        DEFINITIONS.iter().find(fits).map(|known| known.how)
    };
    ["percentiles", "ITL"]
        .into_iter()
        .filter_map(|what| {
            let (x, y) = of(a, what).zip(of(b, what))?;
            (x != y).then(|| format!("{a} takes {what} {x}, {b} {y}"))
        })
        .collect()
}
