import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { Fields } from '../values/schema.js';
import { DeclaredList } from '../kernel/declared-list.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import type { HttpTool } from './http-tool.js';
import type { ToolOptions } from './tool-options.js';

/** A tool as an agent or the procedure calls it, and what was called of it in this run. */
export interface ToolDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  /** Gives its name, where it has that of something else. */
  naming: (() => string) | null;
  /** Name of the toolset or agent that it is declared in, which is written before its own. */
  owner: (() => string) | null;
  description: string;
  input: Fields;
  /** Registry reference of the Lua function; null: built in, and answered by `answer`, or outside, at `source`. */
  body: number | null;
  answer: ((args: JsonValue) => JsonValue) | null;
  /** Where it lives outside of the run: `host.charge_card`, `mcp.files.read_file`; null: it doesn't. */
  source: string | null;
  /** What the provider of a model runs itself, and how it is set up: `provider.openai.web_search`; null: it is none. */
  provided: { source: string; args: JsonObject } | null;
  /** What is sent when it is called, where it is a request; else null. */
  http: HttpTool | null;
  /** What it does in the run itself, where that is no Lua; else null. */
  perform: ((L: LuaState, args: JsonValue) => Generator<Step, JsonValue, unknown>) | null;
  options: ToolOptions;
  calls: { args: JsonValue; result: JsonValue }[];
}

export const declaredTools = new DeclaredList<ToolDeclaration>();

/** A tool with what is said of it; left out is what most tools don't have. */
export function newTool(
  name: string | null,
  parts: Partial<Omit<ToolDeclaration, 'name' | 'calls'>> = {},
): ToolDeclaration {
  return {
    name,
    naming: null,
    owner: null,
    description: '',
    input: {},
    body: null,
    answer: null,
    source: null,
    provided: null,
    http: null,
    perform: null,
    options: {},
    ...parts,
    calls: [],
  };
}
