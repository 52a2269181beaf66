const marked = /^\[TMPRL\d+\] (?:Nondeterminism error: )?/;
const unfit = /TMPRL1100|nondeterminism/i;

/**
 * What a worker says that can't do a run's workflow task, in words of ours: Temporal's own begin with a mark, as in
 * `[TMPRL1100] Nondeterminism error: …`, and tell of commands.
 */
export function faultText(message: string): string {
  const plain = message.replace(marked, '');
  return unfit.test(message) ? `its history doesn't fit the code of the worker (${plain})` : plain;
}
