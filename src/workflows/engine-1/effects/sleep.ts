import { sleep } from '@temporalio/workflow';
import type { EffectContext } from './context.js';

/** A durable timer. Its end is absolute, so continue-as-new doesn't start it anew. */
export async function performSleep(
  context: EffectContext,
  position: string,
  ms: number,
  summary: string,
): Promise<null> {
  const deadline = context.deadlines.get(position) ?? Date.now() + ms;
  context.deadlines.set(position, deadline);
  await sleep(Math.max(1, deadline - Date.now()), { summary });
  return null;
}
