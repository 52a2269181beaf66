import type { RunSettings } from '../runs/run-settings.js';

/**
 * What `by` of a run's decisions is worth.
 *  - `trusted-namespace`: a claim. Whoever may write to the namespace may say any name.
 *  - `signed`: an identity. Each decision brings a token that a key of the worker's has been found to fit.
 */
export type AuthorityMode = 'trusted-namespace' | 'signed';

export function authorityOf(settings: RunSettings | undefined): AuthorityMode {
  return settings?.signedDecisions === true ? 'signed' : 'trusted-namespace';
}
