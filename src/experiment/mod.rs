//! Making the runs: their order, their processes, the state of the machine, and the looks at what was made.
