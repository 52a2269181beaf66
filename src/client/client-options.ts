import type { Client } from '@temporalio/client';
import { defaultTaskQueue, pluginName } from '../contract/names.js';
import type { Limits } from '../contract/runs/limits.js';
import type { RunIndex } from '../read-model/run-index.js';
import type { StreamReader } from '../streams/run-streams.js';
import type { NamespaceAttributes } from './lists/search-attributes.js';
import type { StorageBackend } from './storage/storage-backend.js';

export interface TactusClientOptions {
  /** Where runs are started; left out: where the client's `TactusPlugin` says, else `tactus`. */
  taskQueue?: string;
  /** Limits of runs that are started without; left out: those of the client's `TactusPlugin`. */
  limits?: Partial<Limits>;
  /**
   * Whether runs set search attributes, which the namespace must have; `'labels'`: that of labels, too; `'forks'`: also that of forks. Left
   * out: those that it has; the server is asked once.
   */
  searchAttributes?: NamespaceAttributes;
  /** Where workers put what agents say and do; left out: `TactusRun.stream` has nothing to read. */
  streams?: StreamReader;
  /** What workers write their runs to; left out: lists come from the server, and open requests of all runs can't be had. */
  index?: RunIndex;
  /** What workers mirror their runs to, of which `getLedger` reads; left out: it reads the logs of runs. */
  storage?: StorageBackend;
}

/** What a `TactusPlugin` says of the runs that its clients start. */
type PluginDefaults = Pick<TactusClientOptions, 'taskQueue' | 'limits'>;

/** Where a client starts runs, and with which limits: as its options say, else as its `TactusPlugin` does. */
export function runDefaults(
  client: Client,
  options: TactusClientOptions,
): { taskQueue: string; limits: Partial<Limits> | undefined } {
  // Known by its name: its class would bring the worker.
  const plugin: object | undefined = client.options.plugins.find(({ name }) => name === pluginName);
  const defaults: PluginDefaults = plugin ?? {};
  return {
    taskQueue: options.taskQueue ?? defaults.taskQueue ?? defaultTaskQueue,
    limits: options.limits ?? defaults.limits,
  };
}
