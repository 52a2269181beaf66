import type { ModelCallInput } from '../../contract/activities.js';
import type { ModelCallResult } from '../../contract/models/model-call.js';
import type { ActivityDeps } from '../activity-deps.js';
import { answerCall } from './answer-call.js';
import { AttemptNotes } from '../retries/attempt-notes.js';
import { heldResponse } from './background/held-response.js';
import { checkModel } from './check-model.js';
import { atEdge } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import { secretsOf } from '../secrets/redact.js';
import type { ServerAccess } from '../runs/server-access.js';

export interface ModelCallDeps {
  deps: ActivityDeps;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  server: ServerAccess;
}

/**
 * Asks a language model once. Temporal retries: nothing in here does, and no tool is performed in here.
 * @throws ApplicationFailure of type model_call_failed, missing_key, missing_package, unknown_model or payload_too_large
 */
export async function modelCall(
  { deps, local, server }: ModelCallDeps,
  input: ModelCallInput,
): Promise<ModelCallResult> {
  const { call, tries } = input;
  const secrets = (): string[] => secretsOf(deps.env);
  const code = 'model_call_failed';
  const choice = await atEdge({ code, subject: call.model ?? 'default model', secrets }, async () =>
    checkModel(call.model, deps.env),
  );
  const subject = `${choice.provider.name}/${choice.model}`;
  const notes = new AttemptNotes();
  const attempted = (beat: () => void): Promise<ModelCallResult> =>
    answerCall({
      ...{ ...choice, deps, local, input, notes, beat },
      ...(call.settings.isBackground === true
        ? { background: (signal) => heldResponse({ notes, beat, signal, server }) }
        : {}),
    });
  return atEdge({ code, subject, secrets, tries, details: () => notes.costs() }, () =>
    withHeartbeat(attempted, () => notes.details()),
  );
}
