import { digestOf } from '../../contract/effects/digest.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { jsonAnswer } from '../../contract/models/json-answer.js';
import type { MockTurn } from '../../contract/mocks/mock-plan.js';
import type { Message } from '../../contract/models/model-call.js';
import type { TurnRequest } from '../agents/turn-request.js';
import type { Bridge } from '../kernel/bridge.js';
import { builtInTool } from '../tools/built-in-tools.js';
import { recorded } from '../checkpoints/checkpointed.js';
import type { Step } from '../scheduler/native.js';
import { toolOfName } from '../tools/named-tools.js';
import { recordCall } from '../tools/tool-call.js';
import { declaredTools, newTool, type ToolDeclaration } from '../tools/tool-declaration.js';
import type { LuaState } from '../vm/fengari.js';
import { mocks } from '../mocks/mocks.js';

/** A turn without a model: the mock's words are the answer, and the tools that it calls are recorded, not run. */
export function* mockedTurn(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  mock: MockTurn,
  message: string | null,
): Generator<Step, JsonValue, unknown> {
  const text = mock.message ?? '';
  const messages: Message[] = message === null ? [] : [{ role: 'user', content: message }];
  if (text !== '') messages.push({ role: 'assistant', content: text });
  for (const { tool: name, args } of mock.tool_calls ?? []) yield* recordTool(bridge, L, turn, name, args);
  return {
    output: outputOf(turn, mock, text),
    usage: usageOf(mock),
    messages: messages as unknown as JsonValue,
  };
}

function* recordTool(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  name: string,
  given: JsonValue | undefined,
): Generator<Step, void, unknown> {
  const args: JsonValue = isObject(given ?? null) ? (given as JsonValue) : {}; // an empty table of Lua's is a list
  const tool = toolOf(bridge, turn, name);
  const spec = { type: 'tool_call', name, input: args, digest: digestOf(args) } as const;
  const result = yield* recorded(bridge, L, spec, () => {
    const mocked = mocks.of(bridge).result(name, args, 'tool_failed');
    return mocked === null ? (tool.answer?.(args) ?? { tool: name, args }) : mocked.value;
  });
  recordCall(bridge, tool, name, { args, result });
}

/** A mock may call what nobody declared; it is known from then on. */
function toolOf(bridge: Bridge, turn: TurnRequest, name: string): ToolDeclaration {
  const offered = turn.tools.find((each) => each.name === name)?.tool;
  const known = offered ?? toolOfName(bridge, name) ?? builtInTool(bridge, name);
  if (known !== null) return known;
  const tool = newTool(name);
  declaredTools.add(bridge, tool);
  return tool;
}

/** The mock's data, where the agent declares a schema; else its words, which may be JSON then. */
function outputOf({ agent }: TurnRequest, { data }: MockTurn, text: string): JsonValue {
  if (agent.output === null) return (agent.isLowerCase ? null : jsonAnswer(text)) ?? text;
  if (isObject(data ?? null) && Object.keys(data ?? {}).length > 0) return data as JsonValue;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function usageOf({ usage = {} }: MockTurn): JsonValue {
  const count = (key: string): number => (typeof usage[key] === 'number' ? usage[key] : 0);
  const prompt_tokens = count('prompt_tokens');
  const completion_tokens = count('completion_tokens');
  const total_tokens = count('total_tokens') || prompt_tokens + completion_tokens;
  return { prompt_tokens, completion_tokens, total_tokens };
}
