import type { Head, HeadOutcome } from './document-store.js';

/** A head that says in place of which version it was written; null where there was none. */
export interface LinkedHead extends Head {
  previous: string | null;
}

/**
 * What came of a head that was refused, by what is there. The client of a service may have told it more than once, and doesn't say so: one that
 * somebody else has built on is not there any more. But where what is there came directly in place of what was read, ours never was.
 */
export function outcomeAgainst(there: LinkedHead | null, version: string, before: Head | null): HeadOutcome {
  if (there?.version === version) return 'done';
  // Where none is there by now, nothing refers to what ours did.
  return there === null || there.previous === (before?.version ?? null) ? 'overtaken' : 'unknown';
}
