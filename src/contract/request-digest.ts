import { digestOf } from './digest.js';
import type { HumanRequest } from './human-request.js';

/** Identifies what a person is shown: a decision that names another digest was made for something else. */
export function requestDigest(shown: Pick<HumanRequest, 'kind' | 'message' | 'context' | 'options'>): string {
  const { kind, message, context, options } = shown;
  return digestOf({ kind, message, context, options });
}
