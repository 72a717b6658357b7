//! Long work beside the interpreter: without its lock, until it is done or the user presses Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

/// How often the interpreter is asked for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the user asked for an end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the work of this thread if the user asked for an end.
    pub(crate) fn end_if_asked(&self) {
        if self.0.load(Ordering::Relaxed) {
            // Unwinds without a message.
            resume_unwind(Box::new("stopped by the user"));
        }
    }
}

/// Does `work` on separate threads, without the interpreter's lock.
///
/// The threads live as long as the call, so that a process that forks leaves none behind. After Ctrl-C the call ends at
/// once; its threads end at the next file or part of a file, or when the runs are judged.
pub(crate) fn apart<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    let (send, mut receive) = channel();
    let flag = stop.clone();
    let done = move || {
        let result = catch_unwind(AssertUnwindSafe(|| match ThreadPoolBuilder::new().build() {
            Ok(pool) => pool.install(|| work(&flag)),
            Err(_) => work(&flag),
        }));
        // Nobody waits any more after Ctrl-C.
        let _ = send.send(result);
    };
    thread::Builder::new().name("beyondnoise".to_owned()).spawn(done)?;
    loop {
        let (channel, received) = py.detach(move || {
            let received = receive.recv_timeout(LOOK);
            (receive, received)
        });
        receive = channel;
        match received {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupted) = py.check_signals() {
                    stop.0.store(true, Ordering::Relaxed);
                    return Err(interrupted);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread that judges the runs has ended"));
            }
        }
    }
}
