import type { Effect } from '../../contract/effects.js';
import type { EffectKindOf } from '../effect-kind.js';

/** A durable timer. Its end is absolute, so continue-as-new doesn't start it anew. */
export const sleep: EffectKindOf<Extract<Effect, { kind: 'sleep' }>> = {
  failure: 'internal',
  wait: 'time',
  isRemote: false,
  perform({ deadlines, now }, opened, { ms }) {
    const deadline = deadlines.get(opened.position) ?? now() + ms;
    deadlines.set(opened.position, deadline);
    opened.timer(deadline - now(), opened.request.name, () => opened.answer(null));
  },
};
