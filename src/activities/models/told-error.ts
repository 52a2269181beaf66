import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** What a provider says went wrong: in words for people, and in its own words for it. */
export interface ToldError {
  message: string;
  type?: JsonValue;
  /** A word, or an HTTP status. */
  code?: JsonValue;
}

/**
 * The error in the body of an answer, as text or parsed, or in an event of a stream: `{"error": {…}}`, `{"type": "error", …}`,
 * or a response that failed. Null where there is none.
 */
export function toldError(body: unknown): ToldError | null {
  const error = errorIn(typeof body === 'string' ? parsed(body) : (body as JsonValue | undefined));
  const message = error?.['message'];
  return typeof message === 'string' ? { ...error, message } : null;
}

function errorIn(body: JsonValue | undefined): JsonObject | null {
  if (!isObject(body)) return null;
  const { error, response, type } = body;
  if (isObject(error)) return error;
  if (isObject(response)) return errorIn(response);
  return type === 'error' ? body : null;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
