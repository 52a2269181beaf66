import { performing } from '../effects/effect-kind.js';
import { askAlone, byParts } from './ask-alone.js';
import { batchesOf, ModelBatches } from './model-batches.js';
import { steeringOf } from '../agents/steering.js';

/** One request to a language model: bought once, and replayed from history ever after. */
export const modelCall = performing('model_call', {
  perform(context, opened, { call }) {
    if (call.isInTurn === true) steeringOf(context).watch(opened, call.agent);
    if (call.settings.isBatched === true) batchesOf(context).add({ context, opened, call });
    else askAlone(context, opened, call);
  },
  bytes: (context, { call }) => (byParts(context) ? context.conversations.look(call).bytes : null),
  openState: (_sequence, _handed, holds) => new ModelBatches(holds('batches-gather-anew')),
});
