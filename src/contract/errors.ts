import type { JsonObject } from './json/json.js';

/**
 * Every code that an error of ours can carry. Each has a page in `docs/errors/`.
 * The value says whether Lua's `pcall` may catch it: what stands for an exhausted budget, a cancelled run or a
 * log that doesn't fit must end the run whatever the procedure does.
 */
export const errorCodes = {
  budget_exhausted: { catchable: true },
  cancelled: { catchable: false },
  child_failed: { catchable: true },
  codec_failed: { catchable: false },
  config_invalid: { catchable: false },
  delivery_failed: { catchable: false },
  egress_denied: { catchable: true },
  file_failed: { catchable: true },
  forbidden: { catchable: false },
  http_failed: { catchable: true },
  human_request_invalid: { catchable: true },
  input_invalid: { catchable: true },
  instruction_limit: { catchable: false },
  internal: { catchable: false },
  interrupted: { catchable: true },
  lua_error: { catchable: true },
  memory_limit: { catchable: false },
  missing_key: { catchable: true },
  missing_package: { catchable: true },
  model_call_failed: { catchable: true },
  no_procedure: { catchable: false },
  no_worker: { catchable: false },
  non_determinism: { catchable: false },
  non_deterministic: { catchable: true },
  not_yieldable: { catchable: true },
  outcome_unknown: { catchable: true },
  output_invalid: { catchable: true },
  payload_too_large: { catchable: true },
  predict_failed: { catchable: true },
  rate_limited: { catchable: false },
  request_unknown: { catchable: false },
  request_withdrawn: { catchable: true },
  retrieval_failed: { catchable: true },
  run_conflict: { catchable: false },
  run_not_found: { catchable: false },
  run_stuck: { catchable: false },
  server_unreachable: { catchable: false },
  source_invalid: { catchable: false },
  source_not_found: { catchable: false },
  state_invalid: { catchable: true },
  tool_denied: { catchable: true },
  tool_failed: { catchable: true },
  unauthenticated: { catchable: false },
  unknown_model: { catchable: true },
  usage: { catchable: false },
  value_not_json: { catchable: true },
  wait_timed_out: { catchable: true },
} as const satisfies Record<string, { catchable: boolean }>;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

/** How an error looks to whoever asks for a run: the shape of `error` in `status` and `run --json`. */
export interface RunError {
  code: ErrorCode;
  message: string;
  /** The `.tac` file and line that it happened at, where there is one. */
  file: string | null;
  line: number | null;
  /** Lua frames only, innermost first, one a line. */
  traceback: string | null;
}

/** The one error class of ours. `details` is plain JSON: what was expected, found, allowed. */
export class TactusError extends Error {
  override readonly name = 'TactusError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: JsonObject = {},
  ) {
    super(message);
  }

  toRunError(): RunError {
    const { file, line, traceback } = this.details;
    return {
      code: this.code,
      message: this.message,
      file: typeof file === 'string' ? file : null,
      line: typeof line === 'number' ? line : null,
      traceback: typeof traceback === 'string' ? traceback : null,
    };
  }
}
