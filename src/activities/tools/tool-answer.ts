import { TactusError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import { assertResultFits } from '../retries/failures.js';
import { createRedactor } from '../secrets/secrets.js';
import type { CallableTool } from './tool-host.js';

/** @throws TactusError payload_too_large: it was done, and isn't done again for that */
export function doneAnswer(value: unknown, { source }: ToolInvocation): ToolAnswer {
  return assertResultFits<ToolAnswer>(
    { kind: 'done', value: asJson(value, source) },
    `The result of ${source}`,
  );
}

/** @throws TactusError tool_failed */
export function asJson(value: unknown, source: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('tool_failed', `${source} was done, and what it gave is no JSON: ${reason}`);
  }
}

interface Asked {
  requests: JsonObject;
  state: string | null;
  /** By which an agent knows what it was at. */
  task: string | null;
}

/**
 * What a tool asks people, as the run is told of it. Who asks is said by us, never by the tool.
 * @throws TactusError payload_too_large
 */
export function questionsAnswer(
  { agent, secrets }: CallableTool,
  { requests, state, task }: Asked,
): ToolAnswer {
  return assertResultFits<ToolAnswer>(
    {
      kind: 'input_required',
      requests: createRedactor(secrets()).value(requests),
      state,
      ...(agent === undefined ? {} : { agent: { ...agent(), task } }),
    },
    'What the tool asks',
  );
}
