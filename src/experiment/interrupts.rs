//! Ctrl-C once finishes the run, twice stops now; a request of the system to end stops now.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use beyondnoise::error::Error;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::experiment::{Said, Say};

/// The answer to the first Ctrl-C.
const ONCE: &str = "the run in progress is finished, and then no more are made; Ctrl-C again stops at once, and that run is lost";

/// How urgently somebody asked to stop: not at all, after this run, now.
#[derive(Clone, Debug)]
pub(super) struct Interrupts {
    level: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Listens from now on.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn listen(say: Say) -> Result<Self, Error> {
        let failed = |source| Error::Io { path: "signals".to_owned(), doing: "listen to", source };
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(failed)?;
        let level = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&level);
        let work = move || {
            for signal in signals.forever() {
                let more = if signal == SIGINT { 1 } else { 2 };
                if shared.fetch_add(more, Ordering::SeqCst) + more == 1 {
                    say(Said::Line(ONCE));
                }
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { level })
    }

    /// Whether no other run is to begin.
    pub(super) fn asked(&self) -> bool {
        self.level.load(Ordering::SeqCst) > 0
    }

    /// Whether to stop now.
    pub(super) fn now(&self) -> bool {
        self.level.load(Ordering::SeqCst) > 1
    }
}
