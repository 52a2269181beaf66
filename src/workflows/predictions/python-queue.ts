import { workflowInfo } from '@temporalio/workflow';
import { changesOf } from '../../contract/engine.js';
import { isPythonTool } from '../../contract/tools/outside-tool.js';
import { pythonQueueOf } from '../../contract/predictions/served-model.js';
import type { RunContext } from '../effects/effect-kind.js';

/** Where workers in Python take what this run asks them, unless somebody says otherwise. */
export function usualPythonQueue(): string {
  return pythonQueueOf(workflowInfo().taskQueue);
}

/** Where a tool is called, or asked for; left out: where the run is. It goes where models go that are functions in Python. */
export function queueOfTool({ start, engine }: RunContext, source: string): string | undefined {
  if (!isPythonTool(source) || !changesOf(engine)('python-tools')) return undefined;
  return start.settings?.modelQueues?.['python'] ?? usualPythonQueue();
}
