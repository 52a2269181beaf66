import type { ListedTool, ToolAnswer, ToolInvocation } from '../../contract/outside-tool.js';
import type { Step } from '../scheduler/native.js';
import type { NamedTool } from './toolset-declaration.js';

export type OutsideTool = NamedTool & { listed: ListedTool };

/** One attempt at a call, or the question whether there was one. */
export function* attempt(
  { name }: NamedTool,
  invocation: ToolInvocation,
): Generator<Step, ToolAnswer, unknown> {
  const title = invocation.operation === 'verify' ? `${name} · was it done?` : name;
  const effect = { kind: 'tool', invocation } as const;
  return (yield { effect: { type: 'tool_attempt', name, title, effect } }) as ToolAnswer;
}
