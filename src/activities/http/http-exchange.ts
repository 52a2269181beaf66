import { attemptSignal, isTimeout } from '../retries/attempt-signal.js';
import { Fault } from '../retries/fault.js';
import { httpFault, type HttpAnswer } from './http-fault.js';
import { networkReason } from './network-reason.js';

export interface Exchange {
  url: URL;
  method: string;
  headers: Headers;
  body: string | null;
  /** Time that all of it may take, in ms. */
  timeoutMs: number;
  /** Whether an answer that is no text may be one the next time. */
  retriesBinary: boolean;
}

/** A whole answer. */
export interface HttpText {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends one request and reads its answer, whatever its status.
 * @throws Fault where there is none in time, or the network fails; TactusError payload_too_large
 */
export async function httpExchange(request: typeof fetch, exchange: Exchange): Promise<HttpText> {
  const { url, method, headers, body, timeoutMs, retriesBinary } = exchange;
  const signal = attemptSignal(timeoutMs);
  try {
    const response = await request(url, { method, headers, body, signal });
    const text = await readBody(response, retriesBinary);
    return { status: response.status, headers: response.headers, body: text };
  } catch (error) {
    if (isTimeout(signal)) throw new Fault(`gave no answer within ${timeoutMs} ms`, { retryable: true });
    const reason = networkReason(error);
    throw reason === null
      ? error
      : new Fault(`can't be reached (${reason})`, { retryable: true, cause: error });
  }
}

/** The fault that an answer stands for, with what the other side said. */
export function faultOf({ status, headers, body }: HttpText): Fault {
  // What refuses a key may quote it in parts.
  const reason: HttpAnswer['reason'] = status === 401 || body.trim() === '' ? null : body;
  return httpFault({ status, headers, reason });
}

/**
 * The response's text; `retriesBinary`: what is none may be one the next time.
 * @throws Fault where it isn't UTF-8; what the way out throws of an answer without an end
 */
async function readBody(response: Response, retriesBinary: boolean): Promise<string> {
  const bytes = await response.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Fault('answered with text that is not UTF-8', { retryable: retriesBinary });
  }
}
