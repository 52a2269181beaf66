import { sha256Hex } from '../../contract/effects/digest.js';
import { wellFormed } from '../text/well-formed.js';

/** Receivers commonly take no more. */
const maxLength = 255;

/** The idempotency key as an HTTP header can carry it: printable ASCII, short. Equal keys give equal headers. */
export function idempotencyHeader(key: string): { 'Idempotency-Key': string } {
  const ascii = wellFormed(key).replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return { 'Idempotency-Key': ascii.length <= maxLength ? ascii : sha256Hex(wellFormed(key)) };
}
