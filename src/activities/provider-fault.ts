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
import { TactusError } from '../contract/errors.js';
import { isObject, type JsonValue } from '../contract/json.js';
import { Fault } from './fault.js';
import { httpFault, isRetryableStatus } from './http-fault.js';
import { networkReason } from './network-reason.js';

/** Words of providers for what another attempt can't mend, though the status or its absence suggests that it might. */
const hopeless = new Set([
  'authentication_error',
  'billing_error',
  'content_filter',
  'context_length_exceeded',
  'insufficient_quota',
  'invalid_api_key',
  'invalid_request_error',
  'model_not_found',
  'not_found_error',
  'permission_error',
]);

/**
 * What a failed call of a language model amounts to; what isn't a provider's fault passes as it is.
 * `keyVariable` names where the key came from, for people whose key is refused.
 */
export function providerFault(error: unknown, keyVariable: string | null): unknown {
  if (error instanceof Fault || error instanceof TactusError) return error;
  if (APICallError.isInstance(error)) return callFault(error, keyVariable);
  if (StreamProviderError.isInstance(error)) return streamFault(error);
  if (ToolChoiceViolationError.isInstance(error))
    return new Fault("didn't keep to the tool choice", { retryable: true, isAnswer: true });
  if (isBrokenAnswer(error))
    return new Fault(`gave a broken answer: ${firstSentence(error.message)}`, {
      ...{ retryable: true, isAnswer: true },
    });
  if (AISDKError.isInstance(error)) return new Fault(error.message, { retryable: false });
  const reason = networkReason(error);
  return reason === null
    ? error
    : new Fault(`can't be reached (${reason})`, { retryable: true, cause: error });
}

function callFault(error: APICallError, keyVariable: string | null): Fault {
  const { statusCode } = error;
  const reason = networkReason(error.cause) ?? networkReason(error);
  if (statusCode === undefined)
    return new Fault(`can't be reached (${reason ?? firstSentence(error.message)})`, {
      retryable: true,
      cause: error.cause,
    });
  if (statusCode < 300)
    return reason === null
      ? new Fault(
          `answered ${statusCode}, but not in the provider's format: ${beginning(error.responseBody)}`,
          { retryable: true, isAnswer: true },
        )
      : new Fault(`broke off its answer (${reason})`, {
          ...{ retryable: true, isAnswer: true, cause: error.cause },
        });
  const fault = httpFault({
    status: statusCode,
    headers: new Headers(error.responseHeaders ?? {}),
    // Refusing a key, providers quote parts of it that no search for the whole key finds.
    reason:
      statusCode === 401
        ? `the key${keyVariable === null ? '' : ` in ${keyVariable}`} was refused`
        : error.message || null,
  });
  const words = wordsOf(error.data);
  if (!words.some((word) => hopeless.has(word))) return fault;
  return new Fault(fault.message, { status: statusCode, retryable: false });
}

function streamFault(error: StreamProviderError): Fault {
  const { statusCode, type, code } = error;
  const isHopeless = [type, code].some((word) => typeof word === 'string' && hopeless.has(word));
  return new Fault(`failed while it answered: ${error.message}`, {
    retryable: !isHopeless && (statusCode === undefined || isRetryableStatus(statusCode)),
    isAnswer: statusCode === undefined,
    ...(statusCode === undefined ? {} : { status: statusCode }),
  });
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

/** `type` and `code` of an error body such as `{"error": {"type": …, "code": …}}`. */
function wordsOf(data: unknown): string[] {
  const body = data as JsonValue | undefined;
  const inner = isObject(body) ? body['error'] : undefined;
  return isObject(inner) ? [inner['type'], inner['code']].filter((word) => typeof word === 'string') : [];
}

/** Messages of parsers go on with the text that they couldn't parse. */
function firstSentence(message: string): string {
  return /^.*?(?=: |\.\s|\.$|\n|$)/.exec(message)?.[0] ?? message;
}

/** Far more than is shown: to cut closer before secrets are removed could hide one from the search. */
function beginning(body: string | undefined): string {
  return body === undefined || body.trim() === '' ? 'nothing' : body.slice(0, 20_000);
}
