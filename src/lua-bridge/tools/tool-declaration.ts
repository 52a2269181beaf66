import type { JsonValue } from '../../contract/json.js';
import type { Fields } from '../values/schema.js';
import { DeclaredList } from '../kernel/declared-list.js';

/** A tool as an agent or the procedure calls it, and what was called of it in this run. */
export interface ToolDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  /** Name of the toolset or agent that it is declared in, which is written before its own. */
  owner: (() => string) | null;
  description: string;
  input: Fields;
  /** Registry reference of the Lua function; null: built in, and answered by `answer`. */
  body: number | null;
  answer: ((args: JsonValue) => JsonValue) | null;
  calls: { args: JsonValue; result: JsonValue }[];
}

export const declaredTools = new DeclaredList<ToolDeclaration>();

/** A tool that nobody declared, and a mock has called. */
export function recordedOnly(name: string): ToolDeclaration {
  return { name, owner: null, description: '', input: {}, body: null, answer: null, calls: [] };
}
