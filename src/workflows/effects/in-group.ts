import { createEventGroup } from '@temporalio/workflow';
import type { EffectRequest } from '../../contract/effects/effect-request.js';

/** Shows an effect, in Temporal's Web UI, together with the others of its step, turn or call. */
export function inGroup<T>({ group }: EffectRequest, perform: () => Promise<T>): Promise<T> {
  if (group === null) return perform();
  return createEventGroup(group.name, { id: group.position }).withScope(perform);
}
