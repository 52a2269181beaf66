import {
  AISDKError,
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  NoOutputGeneratedError,
  StreamProviderError,
  ToolChoiceViolationError,
  TypeValidationError,
} from 'ai';
import { TactusError } from '../../contract/errors.js';
import { SilentAnswer } from '../../egress/bounded-response.js';
import { Fault } from '../retries/failures.js';
import { httpFault, isRetryableStatus, networkReason } from '../http/http-exchange.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** Words of providers for what another attempt can't mend, though the status or its absence suggests that it might. */
export const permanentErrorCodes: ReadonlySet<string> = new Set([
  'authentication_error',
  'billing_error',
  'content_filter',
  'context_length_exceeded',
  'insufficient_quota',
  'invalid_api_key',
  'invalid_prompt',
  'invalid_request_error',
  'model_not_found',
  'not_found_error',
  'permission_error',
]);

/** All that Anthropic's package says of a stream whose first event is no JSON; its error has no class of its own. */
const brokenFirstEvent = 'Expected a normalized Anthropic stream error';

/**
 * What a failed call of a language model amounts to; what isn't a provider's fault passes as it is.
 * `keyVariable` names where the key came from, for people whose key is refused.
 */
export function providerFault(error: unknown, keyVariable: string | null): unknown {
  if (error instanceof Fault || error instanceof TactusError) return error;
  const ours = oursIn(error);
  if (ours !== null) return ours;
  if (APICallError.isInstance(error)) return callFault(error, keyVariable);
  if (StreamProviderError.isInstance(error)) return streamFault(error);
  if (ToolChoiceViolationError.isInstance(error))
    return new Fault("didn't keep to the tool choice", { retryable: true, isAnswer: true });
  if (isBrokenAnswer(error))
    return new Fault(`gave a broken answer: ${firstSentence(error.message)}`, {
      ...{ retryable: true, isAnswer: true },
    });
  if (AISDKError.isInstance(error)) return new Fault(error.message, { retryable: false });
  if (error instanceof Error && error.message === brokenFirstEvent)
    return new Fault('gave a broken answer: its stream is no JSON', { retryable: true, isAnswer: true });
  const reason = networkReason(error);
  return reason === null
    ? error
    : new Fault(`can't be reached (${reason})`, { retryable: true, cause: error });
}

/** An answer that was given up here: the AI SDK makes a fault of the provider's of it. */
function oursIn(error: unknown): unknown {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof TactusError) return each;
    if (each instanceof SilentAnswer) return new Fault(each.message, { retryable: true, isAnswer: true });
  }
  return null;
}

function callFault(error: APICallError, keyVariable: string | null): Fault {
  const { statusCode } = error;
  const reason = networkReason(error.cause) ?? networkReason(error);
  if (statusCode === undefined)
    return new Fault(`can't be reached (${reason ?? firstSentence(error.message)})`, {
      retryable: true,
      cause: error.cause,
    });
  if (statusCode < 300 || isParsed(error)) return answerFault(error, reason);
  const headers = new Headers(error.responseHeaders ?? {});
  const fault = httpFault({
    status: statusCode,
    headers,
    // Refusing a key, providers quote parts of it that no search for the whole key finds.
    reason:
      statusCode === 401
        ? `the key${keyVariable === null ? '' : ` in ${keyVariable}`} was refused`
        : error.message || null,
  });
  const told = providerError(error.data);
  if (told === null || !isHopeless(told) || headers.get('x-should-retry') === 'true') return fault;
  return new Fault(fault.message, { status: statusCode, retryable: false });
}

/** Of a whole answer that it can't use, the AI SDK makes up a status, and gives the JSON in place of its text. */
function isParsed({ responseBody }: APICallError): boolean {
  return typeof responseBody === 'object';
}

/** An answer came, with a status of success; what is wrong with it. */
function answerFault(error: APICallError, reason: string | null): Fault {
  const { statusCode, responseBody } = error;
  const paidFor = { retryable: true, isAnswer: true };
  if (reason !== null)
    return new Fault(`broke off its answer (${reason})`, { ...paidFor, cause: error.cause });
  const told = providerError(responseBody);
  if (told !== null)
    return new Fault(`failed while it answered: ${told.message}`, {
      retryable: !isHopeless(told) && (typeof told.code !== 'number' || isRetryableStatus(told.code)),
    });
  return new Fault(
    isParsed(error)
      ? `gave a broken answer: ${firstSentence(error.message)}`
      : `answered ${statusCode}, but not in the provider's format: ${beginning(responseBody)}`,
    paidFor,
  );
}

function streamFault(error: StreamProviderError): Fault {
  const { statusCode } = error;
  return new Fault(`failed while it answered: ${error.message}`, {
    retryable: !isHopeless(error) && (statusCode === undefined || isRetryableStatus(statusCode)),
    isAnswer: statusCode === undefined,
    ...defined({ status: statusCode }),
  });
}

function isHopeless({ type, code }: { type?: unknown; code?: unknown }): boolean {
  return [type, code].some((word) => typeof word === 'string' && permanentErrorCodes.has(word));
}

function isBrokenAnswer(error: unknown): error is Error {
  return (
    InvalidResponseDataError.isInstance(error) ||
    EmptyResponseBodyError.isInstance(error) ||
    NoOutputGeneratedError.isInstance(error) ||
    NoContentGeneratedError.isInstance(error) ||
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error)
  );
}

/** Messages of parsers go on with the text that they couldn't parse. */
function firstSentence(message: string): string {
  return /^.*?(?=: |\.\s|\.$|\n|$)/.exec(message)?.[0] ?? message;
}

/** Far more than is shown: to cut closer before secrets are removed could hide one from the search. */
function beginning(body: string | undefined): string {
  return body === undefined || body.trim() === '' ? 'nothing' : body.slice(0, 20_000);
}

/** What a provider says went wrong: in words for people, and in its own words for it. */
interface ProviderError {
  message: string;
  type?: JsonValue;
  /** A word, or an HTTP status. */
  code?: JsonValue;
}

/**
 * The error in the body of an answer, as text or parsed, or in an event of a stream: `{"error": {…}}`, `{"type": "error", …}`,
 * or a response that failed. Null where there is none.
 */
export function providerError(body: unknown): ProviderError | null {
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
