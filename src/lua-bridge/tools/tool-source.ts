import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/index.js';
import type { ToolDeclaration } from './tool-declaration.js';

/** What the first part of `use = "…"` stands for. */
const kinds: Record<string, string> = {
  plugin: 'tools of Python plugins',
  mcp: 'tools of MCP servers',
  cli: 'tools of the command line',
};

/** Who answers calls of a tool that is declared by `use = "…"`: functions of the run's own, or somebody outside. */
export function placeOfTool(bridge: Bridge, source: string): Pick<ToolDeclaration, 'answer' | 'source'> {
  if (source.startsWith('broker.'))
    return { answer: (args) => hostCall(source.slice('broker.'.length), args), source: null };
  return bridge.holds('outside-tools') ? { answer: null, source } : { answer: refused(source), source: null };
}

/** As it was before there were any. */
function refused(source: string): (args: JsonValue) => JsonValue {
  const [kind = ''] = source.split('.', 1);
  const what = getOwn(kinds, kind) ?? 'tools of this kind';
  return () => {
    throw new TactusError(
      'tool_failed',
      `use = "${source}": ${what} can't be called yet; write the tool as function(args) … end`,
    );
  };
}

/** What a procedure may ask of its host without any configuration. */
const functions: Record<string, (args: JsonValue) => JsonValue> = {
  'host.ping': (args) => ({ ok: true, echo: args }),
  'host.echo': (args) => ({ echo: args }),
};

/** @throws TactusError tool_failed where the host has no such function */
export function hostCall(name: string, args: JsonValue): JsonValue {
  const fn = getOwn(functions, name);
  if (fn === undefined)
    throw new TactusError(
      'tool_failed',
      `the host has no '${name}'; there are: ${Object.keys(functions).join(', ')}`,
    );
  return fn(isObject(args) ? args : {});
}
