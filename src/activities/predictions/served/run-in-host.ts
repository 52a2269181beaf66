import { Context } from '@temporalio/activity';
import { TactusError } from '../../../contract/errors.js';
import { Fault } from '../../retries/failures.js';
import { askHost } from './ask-host.js';
import type { ModelRunner } from './model-runner.js';
import { tellHeld } from './tell-held.js';

/** Asks a model of files, in the process beside this one. */
export const runInHost: ModelRunner = async ({ deps, run, signal, host }) => {
  const { type, settings } = run.backend;
  const answer = await askHost(deps, host, { type, settings, inputs: run.inputs }, signal);
  tellHeld(Context.current().log, answer.held, { model: run.model });
  if (answer.ok) return { outputs: answer.outputs, cost: null, version: answer.version };
  const { code, message, retryable } = answer;
  if (retryable || code === 'predict_failed') throw new Fault(message, { retryable });
  throw new TactusError(code, message);
};
