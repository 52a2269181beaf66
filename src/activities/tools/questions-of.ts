import type { JsonObject } from '../../contract/json/json.js';
import type { ToolAnswer } from '../../contract/tools/outside-tool.js';
import { assertResultFits } from '../retries/failures.js';
import { createRedactor } from '../secrets/secrets.js';
import type { CallableTool } from './tool-host.js';

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
export function questionsOf({ agent, secrets }: CallableTool, { requests, state, task }: Asked): ToolAnswer {
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
