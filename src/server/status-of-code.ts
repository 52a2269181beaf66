import type { ErrorCode } from '../contract/errors.js';

/**
 * The HTTP status of each error. 4xx: who asks can do something about it. 5xx: whoever runs the server, the workers or the
 * procedure can.
 */
export const statusOfCode = {
  budget_exhausted: 409,
  cancelled: 409,
  child_failed: 409,
  config_invalid: 503,
  delivery_failed: 503,
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
  predict_failed: 503,
  rate_limited: 429,
  request_unknown: 404,
  request_withdrawn: 409,
  run_conflict: 409,
  run_not_found: 404,
  run_stuck: 409,
  server_unreachable: 503,
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

export type ProblemStatus = (typeof statusOfCode)[ErrorCode] | 404 | 405 | 415 | 421;
