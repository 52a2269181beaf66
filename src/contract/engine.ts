/**
 * How the instructions of a run are counted. What counts otherwise ends slices, which are commands, elsewhere: a run goes
 * on with the engine that it was started on.
 *  - 1: as in 0.1.0. Some library functions cost one instruction, however long what they read or make is.
 *  - 2: everything is charged by its size, and the checkpoints of the log count as memory.
 */
export const newestEngine = 2;
