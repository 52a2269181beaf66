import { loadClientConnectConfig } from './envconfig.js';
import { defaultTaskQueue } from '../contract/names.js';
import type { CommonOptions } from './context.js';

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

/** Which server a command is meant for. */
export interface ConnectionTarget {
  /** null: the embedded server of the working folder. */
  connection: (ConnectionOptions & { address: string }) | null;
  namespace: string;
  taskQueue: string;
}

/** Flags first, then Temporal's environment variables and profiles; where none names an address, the embedded server. */
export function connectionTarget(options: CommonOptions): ConnectionTarget {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = options.address ?? connectionOptions.address;
  const taskQueue = options.taskQueue ?? defaultTaskQueue;
  if (address === undefined || address === '')
    return { connection: null, namespace: options.namespace ?? 'default', taskQueue };
  return {
    connection: { ...connectionOptions, address },
    namespace: options.namespace ?? namespace ?? 'default',
    taskQueue,
  };
}
