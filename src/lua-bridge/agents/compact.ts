import { TactusError } from '../../contract/errors.js';
import type { ModelCall, ModelCallResult } from '../../contract/models/model-call.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import type { Bridge } from '../kernel/bridge.js';
import { askModels } from '../models/ask-models.js';
import { modelOf } from '../models/model-choice.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { defaultPrompt } from './compaction.js';
import type { TurnConversation } from './turn-conversation.js';
import type { TurnRequest } from './turn-request.js';

/** Fewer are not worth a call of a model. */
const fewest = 2;

/**
 * Sums the older part of a conversation up where it has become longer than its agent says: a checkpoint, with the model's
 * call in it. The model is sent what it knows already, and one question more.
 * @param call what the turn would ask next
 * @returns what was paid for it
 * @throws TactusError model_call_failed, budget_exhausted
 */
export function* compact(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  said: TurnConversation,
  call: Omit<ModelCall, 'model' | 'messages'>,
): Generator<Step, ModelCallResult[], unknown> {
  const { compaction, model } = turn.agent;
  if (compaction === null || said.tokens <= compaction.over) return [];
  const older = said.olderThan(compaction.keep);
  const count = older.history + older.added;
  if (count < fewest) return [];
  const models =
    compaction.model === null ? turn.models : [modelOf(bridge, { ...model, model: compaction.model })];
  const question = { role: 'user', content: compaction.prompt ?? defaultPrompt } as const;
  const { maxTokens: __, ...settings } = call.settings;
  // Nothing is looked up for a summary, and nobody goes on from it.
  const { providerTools: _, keepsThoughts: ___, ...plain } = call;
  const asked = {
    ...plain,
    messages: [...said.messages, question],
    outputSchema: null,
    settings: { ...settings, ...(call.tools.length === 0 ? {} : { toolChoice: 'none' as const }) },
  };
  const { name } = turn;
  const spec = { type: 'compaction', name, input: { messages: count }, digest: '' } as const;
  const paid: ModelCallResult[] = [];
  const summary = (yield* checkpointed(bridge, L, spec, function* () {
    const answer = yield* askModels(bridge, L, { name, title: `${name} · summary`, call: asked }, models);
    paid.push(answer);
    if (answer.text.trim() === '')
      throw new TactusError(
        'model_call_failed',
        `${name}: ${answer.model} summed the conversation up in no word`,
      );
    return answer.text;
  })) as string;
  said.sumUp(summary, older);
  return paid;
}
