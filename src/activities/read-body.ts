import { TactusError } from '../contract/errors.js';
import { defaultLimits } from '../contract/limits.js';
import { Fault } from './fault.js';

/** JSON may come with white space that isn't recorded; past twice the limit nothing that fits can be in it. */
const mostBytes = 2 * defaultLimits.payloadBytes;

/**
 * The response's text; `retriesBinary`: what is none may be one the next time. Stops reading at a size that couldn't be recorded anyway, before it fills the worker's memory.
 * @throws TactusError payload_too_large; Fault where it isn't UTF-8
 */
export async function readBody(response: Response, retriesBinary: boolean): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece as Uint8Array);
    size += (piece as Uint8Array).length;
    // Leaving the loop closes the connection.
    if (size > mostBytes)
      throw new TactusError('payload_too_large', 'The answer is larger than can be recorded', {
        limit: defaultLimits.payloadBytes,
      });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new Fault('answered with text that is not UTF-8', { retryable: retriesBinary });
  }
}
