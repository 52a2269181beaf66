import type { Logger } from '@temporalio/common';
import type { ModelsHeld } from './host/messages.js';

/** Whoever runs the worker sees what it has in memory. */
export function tellHeld(
  log: Pick<Logger, 'info'>,
  { loaded, dropped }: ModelsHeld,
  more: Record<string, string> = {},
): void {
  if (loaded !== undefined) log.info('A prediction model was loaded', { ...more, ...loaded });
  for (const path of dropped) log.info('A prediction model gave way to another', { path });
}
