import { digestOf } from '../contract/digest.js';
import type { Turn, TurnResult } from './agent-turn.js';
import type { Bridge } from './bridge.js';
import { recorded } from './checkpointed.js';
import type { Step } from './native.js';
import type { LuaState } from './vm/fengari.js';

/**
 * What a mock gives in place of a classifier or another module that asks a model: to `Mocks` it is a model, which is
 * given `{text = …}`. null: the agent takes its turn, or its own mock does.
 */
export function* mockedAnswer(
  bridge: Bridge,
  L: LuaState,
  { name, message }: Turn,
): Generator<Step, TurnResult | null, unknown> {
  const input = { text: message };
  const mocked = bridge.mocks.result(name, input, 'model_call_failed');
  if (mocked === null) return null;
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  const output = yield* recorded(bridge, L, spec, () => mocked.value);
  return { output, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, messages: [] };
}
