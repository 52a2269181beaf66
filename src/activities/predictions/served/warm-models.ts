import type { Logger } from '@temporalio/common';
import type { ActivityDeps } from '../../activity-deps.js';
import { askHost } from './ask-host.js';
import type { ModelHost } from './model-host.js';
import { tellHeld } from './tell-held.js';

/**
 * Loads the models that a worker is to have in memory, one after the other; whoever asks meanwhile comes after them. What can't
 * be loaded is told, and keeps nobody from working: who asks for it is told again.
 */
export async function warmModels(
  deps: ActivityDeps,
  host: ModelHost,
  log: Pick<Logger, 'info' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  // All are asked for at once, so that no question comes between them.
  await Promise.all(
    (deps.warmModels ?? []).map(async ({ type, settings }) => {
      const path = typeof settings['path'] === 'string' ? settings['path'] : type;
      const untold = (reason: string): void => {
        if (!signal.aborted) log.warn(`The model ${path} could not be loaded ahead: ${reason}`);
      };
      try {
        const answer = await askHost(deps, host, { type, settings, inputs: [] }, signal);
        tellHeld(log, answer.held);
        if (!answer.ok) untold(answer.message);
      } catch (error) {
        untold(error instanceof Error ? error.message : String(error));
      }
    }),
  );
}
