import { TactusError } from '../../contract/errors.js';
import { getOwn, type JsonValue } from '../../contract/json.js';
import { hostCall } from './host-call.js';

/** What the first part of `use = "…"` stands for. */
const kinds: Record<string, string> = {
  plugin: 'tools of Python plugins',
  mcp: 'tools of MCP servers',
  cli: 'tools of the command line',
};

/** Answers calls of a tool that is declared by `use = "…"`. */
export function sourceOfTool(source: string): (args: JsonValue) => JsonValue {
  const [kind = ''] = source.split('.', 1);
  if (source.startsWith('broker.')) return (args) => hostCall(source.slice('broker.'.length), args);
  const what = getOwn(kinds, kind) ?? 'tools of this kind';
  return () => {
    throw new TactusError(
      'tool_failed',
      `use = "${source}": ${what} can't be called yet; write the tool as function(args) … end`,
    );
  };
}
