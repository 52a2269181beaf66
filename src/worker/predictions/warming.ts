import { Runtime } from '@temporalio/worker';
import type { ActivityDeps, ModelHost } from '../../activities/index.js';

/**
 * Loads models as a worker begins, beside its other work, and not where there are none to be loaded.
 * @returns what ends that, where the worker ends before
 */
export function beginWarming(deps: ActivityDeps | undefined, host: ModelHost): () => void {
  const ended = new AbortController();
  if (deps?.warmModels !== undefined && deps.warmModels.length > 0) {
    const { logger } = Runtime.instance();
    void import('../../activities/predictions/served/ask-host.js').then(({ warmModels }) =>
      warmModels(deps, host, logger, ended.signal),
    );
  }
  return () => {
    ended.abort(new Error('the worker has ended'));
  };
}
