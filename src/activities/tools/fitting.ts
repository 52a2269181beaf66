import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import { assertResultFits } from '../retries/failures.js';

/** @throws TactusError payload_too_large: it was done, and isn't done again for that */
export function fitting(value: unknown, { source }: ToolInvocation): ToolAnswer {
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
