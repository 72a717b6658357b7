//! The settings of the command `run`, which makes the runs.

/// The commands and limits for making runs; `NAME=VALUE` gives a value to one variant, a bare value to all.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// Commands that start a server.
    pub serve: Vec<String>,
    /// Commands that make one run.
    pub bench: Vec<String>,
    /// Checks that a server is ready: a URL, an address or a command.
    pub ready: Vec<String>,
    /// Commands before each run.
    pub before: Vec<String>,
    /// Commands after each run.
    pub after: Vec<String>,
    /// Commands that print the version.
    pub version: Vec<String>,
    /// Working folders of the commands.
    pub cwd: Vec<String>,
    /// Variables of the environment, `KEY=VALUE`.
    pub env: Vec<String>,
    /// Value of `{port}`.
    pub port: usize,
    /// Change that matters, a fraction above 0.
    pub effect: Option<f64>,
    /// Runs of each variant at the planned looks, ascending.
    pub looks: Vec<usize>,
    /// Most runs of each variant.
    pub max_runs: Option<usize>,
    /// Time for all runs, in seconds.
    pub budget: Option<f64>,
    /// Discarded runs before the first.
    pub warmup: usize,
    /// Attempts at each run, at least 1.
    pub tries: usize,
    /// Longest time of a benchmark command, in seconds.
    pub timeout: Option<f64>,
    /// Longest time from the start of a server until it is ready, in seconds.
    pub ready_timeout: f64,
    /// Whether a server remains running for the next run of its variant.
    pub keep_server: bool,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            serve: Vec::new(),
            bench: Vec::new(),
            ready: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            version: Vec::new(),
            cwd: Vec::new(),
            env: Vec::new(),
            port: 8000,
            effect: None,
            looks: vec![3, 4, 6, 8, 12],
            max_runs: None,
            budget: None,
            warmup: 0,
            tries: 3,
            timeout: None,
            ready_timeout: 600.0,
            keep_server: false,
        }
    }
}
