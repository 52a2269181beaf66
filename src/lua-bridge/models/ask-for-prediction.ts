import { digestOf } from '../../contract/effects/digest.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { ModelCallResult } from '../../contract/models/model-call.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { askMended } from './ask-mended.js';
import type { Question } from './ask-models.js';

export interface PredictionQuestion extends Question {
  /** What it is asked of, as the log keeps it. */
  input: JsonValue;
  models: readonly (string | null)[];
  /** The prediction; throws where the answer is of no use. */
  read: (answer: ModelCallResult) => JsonValue;
}

/**
 * A language model's prediction: a checkpoint, with the call of the model in it.
 * @throws TactusError model_call_failed, budget_exhausted
 */
export function askForPrediction(
  bridge: Bridge,
  L: LuaState,
  { input, models, read, ...question }: PredictionQuestion,
): Generator<Step, JsonValue, unknown> {
  const spec = { type: 'model_predict', name: question.name, input, digest: digestOf(input) } as const;
  return checkpointed(bridge, L, spec, function* () {
    return read(yield* askMended(bridge, L, question, models, read));
  });
}
