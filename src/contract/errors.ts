import type { JsonObject } from './json/json.js';

/**
 * Every code that an error of ours can carry. Each has a page in `docs/errors/`.
 * The value says whether Lua's `pcall` may catch it: what stands for an exhausted budget, a cancelled run or a
 * log that doesn't fit must end the run whatever the procedure does.
 */
export const errorCodes = {
  budget_exhausted: { catchable: true },
  build_refused: { catchable: false },
  cancelled: { catchable: false },
  change_refused: { catchable: false },
  child_failed: { catchable: true },
  codec_failed: { catchable: false },
  config_invalid: { catchable: false },
  dead_letter_unknown: { catchable: false },
  deadline_exceeded: { catchable: true },
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
  plan_invalid: { catchable: true },
  predict_failed: { catchable: true },
  rate_limited: { catchable: false },
  request_unknown: { catchable: false },
  request_withdrawn: { catchable: true },
  requeue_refused: { catchable: false },
  retrieval_failed: { catchable: true },
  run_conflict: { catchable: false },
  run_not_found: { catchable: false },
  run_stuck: { catchable: false },
  server_unreachable: { catchable: false },
  snapshot_failed: { catchable: true },
  snapshot_invalid: { catchable: true },
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

/** What an error of any code may carry. */
export type CommonDetails = {
  /** The `.tac` file or setting, and the line, that it is about. */
  file?: string;
  line?: number | null;
  /** Lua frames only, innermost first, one a line. */
  traceback?: string;
  run_id?: string;
  /** The HTTP status of whatever was called, and how many attempts it gets. */
  status?: number;
  attempts?: number;
  /** What a worker doesn't have, where another worker may have it: `mcp.orders`, `local model`. */
  lacking?: string;
};

/** A checkpoint as an error names it. */
export type NamedCheckpoint = {
  position: string;
  type: string;
  name?: string | null;
  digest?: string | null;
};

/** What errors of a code may also carry. A code that isn't here has only the common details. The code's page in `docs/errors/` names its own. */
export interface ErrorDetails {
  budget_exhausted: {
    /** The budget, and what is used up of it. */
    exhausted: { budget: string; what: string; limit: number; used: number };
    /** Whether the agent's turn ends with what it has, instead of with this error. */
    isStop: boolean;
  };
  codec_failed: { encoding: string };
  egress_denied: { host: string; port: number };
  /** `path` is as the procedure gives it, and `folder` where it begins; `place` is one of a storage backend or an archive. */
  file_failed: { path: string; folder: string; place: string };
  input_invalid: { field: string };
  missing_key: { variable: string; model: string };
  missing_package: { package: string; model: string };
  model_call_failed: {
    field: string;
    /** What answers cost that could not be used. */
    spent: { input_tokens: number; output_tokens: number; input_usd?: number; output_usd?: number };
  };
  no_worker: { address: string; task_queue: string; waited_s: number };
  non_determinism: {
    position: string;
    /** What the log has there, and what the procedure asks for now: checkpoints, or lines of the source. */
    expected: NamedCheckpoint | string | number | null;
    found: NamedCheckpoint | NamedCheckpoint[] | string | number | null;
  };
  output_invalid: { field: string };
  payload_too_large: { path: string; bytes: number; limit: number };
  plan_invalid: { field: string };
  predict_failed: { field: string };
  retrieval_failed: { path: string };
  run_stuck: { stuck: { since: string | null; attempt: number; cause: string; message: string } };
  server_unreachable: { address: string };
  source_invalid: {
    /** What `validate` found, one each. */
    diagnostics: {
      file: string;
      line: number;
      column: number;
      severity: string;
      code: string;
      message: string;
      suggestion: string | null;
    }[];
  };
  source_not_found: { procedure: string };
  state_invalid: { field: string };
  tool_failed: { field: string };
  unknown_model: { model: string };
  usage: { path: string; files: string[]; requests: string[] };
  value_not_json: { path: string };
}

/** The details of errors of a code. Each may be missing, as in errors that an older version recorded. If the code is not known, they are any JSON. */
export type DetailsOf<Code extends ErrorCode> = [ErrorCode] extends [Code]
  ? JsonObject
  : Partial<CommonDetails & (Code extends keyof ErrorDetails ? ErrorDetails[Code] : unknown)>;

/**
 * The one error class of ours. `details` is plain JSON: what was expected, found, allowed. Its type is a parameter of its own, so that an error of
 * one code is also a `TactusError`.
 */
export class TactusError<
  Code extends ErrorCode = ErrorCode,
  Details extends object = DetailsOf<Code>,
> extends Error {
  /** For the compiler alone: without it, `instanceof` would make the code and the details of an error `any`. */
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is TactusError;

  override readonly name = 'TactusError';
  readonly details: Details;

  constructor(
    readonly code: Code,
    message: string,
    details?: DetailsOf<Code>,
  ) {
    super(message);
    // No detail must be there.
    this.details = (details ?? {}) as Details;
  }

  toRunError(): RunError {
    const { file, line, traceback }: Partial<Record<keyof CommonDetails, unknown>> = this.details;
    return {
      code: this.code,
      message: this.message,
      file: typeof file === 'string' ? file : null,
      line: typeof line === 'number' ? line : null,
      traceback: typeof traceback === 'string' ? traceback : null,
    };
  }
}

/** Whether an error is ours and has one of these codes: the type of its details is known then. */
export function hasCode<Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is TactusError<Code> {
  return error instanceof TactusError && (codes as readonly ErrorCode[]).includes(error.code);
}
