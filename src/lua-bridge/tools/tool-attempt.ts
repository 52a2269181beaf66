import type { ListedTool, ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import type { Step } from '../scheduler/native.js';
import type { NamedTool } from './toolset-declaration.js';

/** What an attempt is called beside the tool. */
const suffixes = { call: '', verify: ' · was it done?', follow: ' · its task' } as const;

export type OutsideTool = NamedTool & { listed: ListedTool };

/** One attempt at a call, or the question whether there was one. */
export function* attempt(
  { name }: NamedTool,
  invocation: ToolInvocation,
): Generator<Step, ToolAnswer, unknown> {
  const title = `${name}${suffixes[invocation.operation]}`;
  const effect = { kind: 'tool', invocation } as const;
  return (yield { effect: { type: 'tool_attempt', name, title, effect } }) as ToolAnswer;
}
