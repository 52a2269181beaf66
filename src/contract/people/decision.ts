import type { JsonValue } from '../json/json.js';

/** An answer to a human request, as it arrives by signal or Update `decide`. */
export interface Decision {
  /** Id of the request. */
  request: string;
  /** null where the request is handed on, or taken back. */
  value: JsonValue;
  /** Left out: it is an answer. `delegate` hands the request to somebody else, `withdraw` takes it back. */
  action?: 'delegate' | 'withdraw';
  /** To whom it is handed. */
  to?: string;
  /** Who decided. Not proof: any client of the namespace can write any name. */
  by?: string;
  comment?: string;
  /** Digest of what the person saw. */
  digest?: string;
  /** Names this decision: sending it twice is one decision. */
  id?: string;
  /** Proof of all that, made by `signDecision`, for runs that take signed decisions alone. */
  token?: string;
  /** Keeps an answer to a request that isn't open yet, and so was shown to nobody. Left out: the run refuses it. */
  early?: boolean;
}

/** A decision as a run settles it. */
export interface KnownDecision extends Decision {
  /** Its token was found to be real, and `by` to be who it says. Never read from what arrives. */
  verified?: true;
  /** It came before its request, and is bound to nothing that was shown. Never read from what arrives. */
  unseen?: true;
}

/** `verifying` is none yet: what becomes of a signed decision is known once its signature has been looked at. */
export type DecisionOutcome =
  'accepted' | 'duplicate' | 'late' | 'early' | 'verifying' | 'not_allowed' | 'invalid' | 'unknown';

export const decisionOutcomes = [
  'accepted',
  'duplicate',
  'late',
  'early',
  'verifying',
  'not_allowed',
  'invalid',
  'unknown',
] as const satisfies readonly DecisionOutcome[];

/** What became of a decision, for whoever sent it: the JSON of `respond`. */
export interface Verdict {
  id: string;
  outcome: DecisionOutcome;
  message: string;
}
