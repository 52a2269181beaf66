import type { Client } from '@temporalio/client';
import type { Limits } from '../../contract/runs/limits.js';
import { pluginName } from '../../contract/names.js';

/** What a `TactusPlugin` says of the runs that its clients start. */
export interface SaidByPlugin {
  taskQueue?: string;
  limits?: Partial<Limits>;
}

/** Nothing where the client has no such plugin. */
export function saidByPlugin(client: Client): SaidByPlugin {
  // Known by its name: its class would bring the worker.
  const plugin: object | undefined = client.options.plugins.find(({ name }) => name === pluginName);
  return plugin ?? {};
}
