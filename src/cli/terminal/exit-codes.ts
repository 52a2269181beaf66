import type { ErrorCode, TactusError } from '../../contract/errors.js';
import type { RunStatus } from '../../contract/runs/run-view.js';

/** What a command ends with: scripts depend on it. */
export const exitCodes = {
  done: 0,
  /** The run failed, or what was looked at is broken. */
  failed: 1,
  /** Wrong usage or input; nothing was started. */
  refused: 2,
  /** The run waits for a person, or still goes on. */
  goesOn: 3,
  unreachable: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const refusedCodes: readonly ErrorCode[] = [
  'usage',
  'codec_failed',
  'config_invalid',
  'input_invalid',
  'missing_key',
  'missing_package',
  'no_procedure',
  'payload_too_large',
  'request_unknown',
  'run_conflict',
  'run_not_found',
  'source_invalid',
  'source_not_found',
  'unknown_model',
];

const unreachableCodes: readonly ErrorCode[] = ['server_unreachable', 'no_worker', 'run_stuck'];

/** Of an error that ended a command. How a run ended is no error of the command that followed it. */
export function exitCodeOfError(error: TactusError): ExitCode {
  if (unreachableCodes.includes(error.code)) return exitCodes.unreachable;
  return refusedCodes.includes(error.code) ? exitCodes.refused : exitCodes.failed;
}

export function exitCodeOfStatus(status: RunStatus): ExitCode {
  switch (status) {
    case 'completed':
      return exitCodes.done;
    case 'failed':
    case 'cancelled':
    case 'terminated':
    case 'timed_out':
      return exitCodes.failed;
    case 'running':
    case 'waiting_for_human':
    case 'waiting_for_time':
    case 'waiting_for_children':
    case 'paused':
      return exitCodes.goesOn;
  }
}
