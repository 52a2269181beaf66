import { digestOf } from '../../contract/effects/digest.js';
import type { TurnResult } from './turn-result.js';
import type { TurnRequest } from '../agents/turn-request.js';
import type { Bridge } from '../kernel/bridge.js';
import { recorded } from '../checkpoints/checkpointed.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { mocks } from '../mocks/mocks.js';

/**
 * What a mock gives in place of a classifier or another module that asks a model: to `Mocks` it is a model, which is
 * given `{text = …}`. null: the agent takes its turn, or its own mock does.
 */
export function* mockedAnswer(
  bridge: Bridge,
  L: LuaState,
  { name, message }: TurnRequest,
): Generator<Step, TurnResult | null, unknown> {
  const input = { text: message };
  const mocked = mocks.of(bridge).result(name, input, 'model_call_failed');
  if (mocked === null) return null;
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  const output = yield* recorded(bridge, L, spec, () => mocked.value);
  return { output, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, messages: [] };
}
