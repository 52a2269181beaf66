import { toChildRun } from '../../contract/runs/child-run.js';
import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { performing } from '../effects/effect-kind.js';

/** Asks a child run to end. One that has ended already stays as it is. */
export const cancelChild = performing('cancel_child', {
  perform({ children: known }, opened, { id }) {
    known.cancelRun(id, (outcome: Outcome) => opened.answer(toChildRun(id, outcome)));
  },
});
