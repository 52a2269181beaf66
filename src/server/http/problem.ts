import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { NamespaceNotFoundError } from '@temporalio/common';
import { grpcErrorOf, isUnanswered } from '../../client/index.js';
import { hasCode, TactusError, type ErrorCode } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { plainText } from '../../contract/text/plain-text.js';
import type { Problem } from './common.schema.js';

/**
 * The HTTP status of each error. 4xx: who asks can do something about it. 5xx: whoever runs the server, the workers or the
 * procedure can.
 */
const statusOfCode = {
  budget_exhausted: 409,
  build_refused: 409,
  cancelled: 409,
  change_refused: 409,
  child_failed: 409,
  codec_failed: 503,
  config_invalid: 503,
  dead_letter_unknown: 404,
  deadline_exceeded: 409,
  delivery_failed: 503,
  egress_denied: 503,
  file_failed: 503,
  forbidden: 403,
  http_failed: 503,
  human_request_invalid: 409,
  input_invalid: 422,
  instruction_limit: 422,
  internal: 500,
  interrupted: 409,
  lua_error: 422,
  memory_limit: 422,
  missing_key: 503,
  missing_package: 503,
  model_call_failed: 503,
  no_procedure: 422,
  no_worker: 503,
  non_determinism: 409,
  non_deterministic: 422,
  not_yieldable: 422,
  outcome_unknown: 409,
  output_invalid: 409,
  payload_too_large: 413,
  plan_invalid: 422,
  predict_failed: 503,
  rate_limited: 429,
  request_unknown: 404,
  request_withdrawn: 409,
  requeue_refused: 409,
  retrieval_failed: 503,
  run_conflict: 409,
  run_not_found: 404,
  run_stuck: 409,
  server_unreachable: 503,
  snapshot_failed: 422,
  snapshot_invalid: 422,
  source_invalid: 422,
  source_not_found: 404,
  state_invalid: 409,
  tool_denied: 409,
  tool_failed: 409,
  unauthenticated: 401,
  unknown_model: 422,
  usage: 400,
  value_not_json: 422,
  wait_timed_out: 409,
} as const satisfies Record<ErrorCode, number>;

type ProblemStatus = (typeof statusOfCode)[ErrorCode] | 404 | 405 | 408 | 415 | 421;

/** A problem whose status its code alone doesn't tell: a path that isn't there, a method that it doesn't take. */
export class RequestProblem extends Error {
  constructor(
    readonly status: ProblemStatus,
    readonly code: ErrorCode,
    message: string,
    readonly errors?: Problem['errors'],
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

const longestDetail = 2_000;
const invalidArgument = 3;
const notFound = 5;
const resourceExhausted = 8;
const unavailable = 14;

/** Answers with what went wrong: never a stack, and of what nobody foresaw no word. */
export function problemOf(error: unknown, onTrouble: (problem: string) => void): Response {
  const known = toRequestProblem(error);
  if (known === null) {
    onTrouble(`the HTTP API: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return toResponse(
      new RequestProblem(
        500,
        'internal',
        'Something went wrong here; whoever runs the server finds it in its log',
      ),
    );
  }
  return toResponse(known);
}

function toResponse({ status, code, message, errors, headers }: RequestProblem): Response {
  const problem: Problem = {
    type: `urn:tactus:error:${code}`,
    title: code.replaceAll('_', ' '),
    status,
    code,
    detail: plainText(message).slice(0, longestDetail),
    ...defined({ errors }),
  };
  const challenge = code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {};
  return new Response(JSON.stringify(problem), {
    status,
    headers: { 'content-type': 'application/problem+json', ...challenge, ...headers },
  });
}

/** null: nobody foresaw it. */
function toRequestProblem(error: unknown): RequestProblem | null {
  if (error instanceof RequestProblem) return error;
  if (error instanceof TactusError) {
    if (error.code === 'internal') return null;
    return new RequestProblem(statusOfCode[error.code], error.code, error.message, issuesOf(error));
  }
  if (error instanceof HTTPException)
    return error.status === 413
      ? new RequestProblem(413, 'payload_too_large', 'The body is too large')
      : new RequestProblem(400, 'usage', error.message === '' ? 'The request is malformed' : error.message);
  if (error instanceof NamespaceNotFoundError)
    return new RequestProblem(503, 'server_unreachable', 'The Temporal server has no such namespace');
  if (isUnanswered(error))
    return new RequestProblem(503, 'no_worker', 'No worker has answered in time', undefined, retryLater);
  return ofServer(error);
}

const retryLater = { 'retry-after': '5' };

/** What Temporal says. Its words may hold addresses: ours don't. */
function ofServer(error: unknown): RequestProblem | null {
  switch (grpcErrorOf(error)?.code) {
    case invalidArgument:
      return new RequestProblem(400, 'usage', 'The Temporal server takes no such id or value');
    case notFound:
      return new RequestProblem(404, 'run_not_found', 'There is no such run');
    case resourceExhausted:
      return new RequestProblem(
        429,
        'rate_limited',
        'The Temporal server has too much to do',
        undefined,
        retryLater,
      );
    case unavailable:
      return new RequestProblem(
        503,
        'server_unreachable',
        "The Temporal server doesn't answer",
        undefined,
        retryLater,
      );
    case undefined:
    default:
      return null;
  }
}

/** What `validate` found in a source. */
function issuesOf(error: TactusError): Problem['errors'] {
  if (!hasCode(error, 'source_invalid')) return undefined;
  return error.details.diagnostics?.map(({ file, line, message }) => ({ path: `${file}:${line}`, message }));
}

/** For `app.notFound`. */
export function noSuchPath(c: Context): Response {
  return problemOf(
    new RequestProblem(404, 'usage', `There is no ${c.req.method} ${c.req.path}`),
    () => undefined,
  );
}
