import { jsonSchema, tool, type ToolSet } from 'ai';
import type { ToolSpec } from '../../contract/models/model-call.js';

/** The tools as the AI SDK has them, without `execute`: the run performs what the model asks for. */
export function modelTools(specs: readonly ToolSpec[]): ToolSet {
  return Object.fromEntries(
    specs.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}
