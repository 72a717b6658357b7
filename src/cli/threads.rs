//! The thread pool: as many threads as the system gives, or the main thread alone if it gives none.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts the threads: `RAYON_NUM_THREADS`, or one for each processor.
pub(super) fn start() {
    let threads: Vec<Sender<ThreadBuilder>> = (0..wanted()).map_while(|_| idle()).collect();
    let pool = if threads.is_empty() {
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()
    } else {
        // If the pool started its threads itself, it would fail when the system refuses one of them.
        let pool = ThreadPoolBuilder::new().num_threads(threads.len());
        let give = move |work: ThreadBuilder| {
            let sent = threads[work.index()].send(work);
            sent.map_err(|_| io::Error::other("a thread ended"))
        };
        pool.spawn_handler(give).build_global()
    };
    // This fails only if there is a pool already, and then that one is used.
    let _ = pool;
}

/// A thread that waits for its work.
fn idle() -> Option<Sender<ThreadBuilder>> {
    let (sender, work) = channel::<ThreadBuilder>();
    let run = move || {
        if let Ok(work) = work.recv() {
            work.run();
        }
    };
    thread::Builder::new().spawn(run).ok().map(|_| sender)
}

fn wanted() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let processors = || thread::available_parallelism().map_or(1, NonZero::get);
    asked.filter(|&count: &usize| count > 0).unwrap_or_else(processors)
}
