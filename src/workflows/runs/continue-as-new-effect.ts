import { topIndex } from '../../contract/checkpoints/checkpoint.js';
import { performing } from '../effects/effect-kind.js';

/** Ends a pass of the run. `Run` does the rest, as soon as nothing else is under way. */
export const continueAsNew = performing('continue_as_new', {
  perform(context, { request }, { input, state }) {
    context.passEnd = { position: topIndex(request.position), input, state };
  },
});
