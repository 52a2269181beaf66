import { withoutThoughts } from '../../contract/agents/conversation.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import type { IntentOutcome } from '../../contract/graphs/intent-effect.js';
import { isObject, jsonAs, type JsonValue } from '../../contract/json/json.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';
import { shownMessage } from '../people/message-input.js';

/** @param areThoughtsShown only where somebody has asked for the content */
export function entryView(
  checkpoint: Checkpoint,
  isContentShown: boolean,
  areThoughtsShown: boolean,
): LogEntryView {
  const { position, type, outcome, at, durationMs, source } = checkpoint;
  // A name may quote what was asked: a question, a path.
  const name = isContentShown ? checkpoint.name : type;
  const problem = problemOf(checkpoint);
  const input = isContentShown ? checkpoint.input : null;
  return {
    position,
    name: type === 'hitl_inputs' ? shownMessage(name) : name,
    type,
    status: problem === null ? 'completed' : 'failed',
    request: type.startsWith('hitl_') ? input : null,
    input,
    result: outcome.ok && isContentShown ? shownResult(type, outcome.value, areThoughtsShown) : null,
    error: problem,
    timestamp: new Date(at).toISOString(),
    duration_ms: durationMs,
    ...givenBy(checkpoint),
    source,
  };
}

/** Of an answer that somebody gave. */
function givenBy({ type, outcome }: Checkpoint): Pick<LogEntryView, 'by_verified' | 'early'> {
  if (!type.startsWith('hitl_') || !outcome.ok || !isObject(outcome.value)) return {};
  const { by, by_verified, early } = outcome.value;
  return {
    ...(typeof by === 'string' ? { by_verified: by_verified === true } : {}),
    ...(early === true ? { early } : {}),
  };
}

/** Why it failed; null where it succeeded. A graph goes on after an intent that can't be sent, so that is an outcome of its own. */
function problemOf({ type, outcome }: Checkpoint): string | null {
  if (!outcome.ok) return outcome.message;
  if (type !== 'intent') return null;
  const sent = jsonAs<IntentOutcome>(outcome.value);
  return sent.status === 'failed' ? sent.message : null;
}

function shownResult(type: string, value: JsonValue, areThoughtsShown: boolean): JsonValue {
  return areThoughtsShown ? value : withoutThoughts(type, value);
}
