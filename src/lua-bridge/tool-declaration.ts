import type { JsonValue } from '../contract/json.js';
import type { Fields } from './schema.js';

/** A tool as an agent or the procedure calls it, and what was called of it in this run. */
export interface ToolDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  description: string;
  input: Fields;
  /** Registry reference of the Lua function; null: built in, and answered by `answer`. */
  body: number | null;
  answer: ((args: JsonValue) => JsonValue) | null;
  calls: { args: JsonValue; result: JsonValue }[];
}

/** A tool that nobody declared, and a mock has called. */
export function recordedOnly(name: string): ToolDeclaration {
  return { name, description: '', input: {}, body: null, answer: null, calls: [] };
}

/** `done`: the tool by which an agent says that it has finished. */
export function doneTool(): ToolDeclaration {
  return {
    name: 'done',
    description: 'Say that the task is done, with the reason or the final result.',
    input: {
      reason: { type: 'string', required: false, description: 'Why the task is done, or its result' },
      success: { type: 'boolean', required: false, description: 'Whether it succeeded' },
    },
    body: null,
    answer: (args) => {
      const reason =
        typeof args === 'object' && args !== null && !Array.isArray(args) ? (args['reason'] ?? null) : null;
      return { status: 'completed', reason: reason ?? 'Task completed', tool: 'done' };
    },
    calls: [],
  };
}
