import { Fault } from '../retries/fault.js';

/**
 * The response's text; `retriesBinary`: what is none may be one the next time.
 * @throws Fault where it isn't UTF-8; what the way out throws of an answer without an end
 */
export async function readBody(response: Response, retriesBinary: boolean): Promise<string> {
  const bytes = await response.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Fault('answered with text that is not UTF-8', { retryable: retriesBinary });
  }
}
