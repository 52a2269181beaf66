/** Closed requests that a ledger remembers: as many as can be open at once, since each may hold an answer. */
export const maxClosedRequests = 1_000;

/** Verdicts that a ledger keeps for those who decided by signal and look later. */
export const maxKeptVerdicts = 100;

/** Decisions on requests that aren't open yet: anyone can send them, and all of them travel with the run. */
export const maxEarlyDecisions = 100;

/** Size of all early decisions together: the ledger has to fit into one payload beside the rest of the run. */
export const maxEarlyBytes = 256 * 1024;

/** JSON text of a decision's value: it becomes a result in the log, and history holds it twice. */
export const maxValueBytes = 256 * 1024;

export const maxCommentBytes = 16 * 1024;
