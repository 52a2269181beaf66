import { workflowInfo } from '@temporalio/workflow';
import { changesOf } from '../../contract/engine.js';
import { getOwn } from '../../contract/json/json.js';
import { providerOf, type ModelCall } from '../../contract/models/model-call.js';
import {
  isPythonModelType,
  pythonQueueOf,
  type ServedModel,
} from '../../contract/predictions/served-model.js';
import { closestPattern } from '../../contract/text/glob.js';
import { isPythonTool, toolNames } from '../../contract/tools/outside-tool.js';
import type { RunContext } from './effect-kind.js';

/**
 * Which task queue a call goes to: that of its declaration, else the one that the settings of the run have for it. undefined: that of the run.
 * The settings come from `model_queues` and `tool_queues` of the configuration, which workers serve.
 */

/** By the provider in the name of the model. */
export function queueOfModel({ engine, start }: RunContext, { model }: ModelCall): string | undefined {
  const { modelQueues } = start.settings ?? {};
  if (modelQueues === undefined || model === null || !changesOf(engine)('model-queues')) return undefined;
  const provider = providerOf(model);
  return provider === null ? undefined : getOwn(modelQueues, provider);
}

/** By the type of a prediction model. Those of Python have workers of their own. */
export function queueOfPrediction(
  { start }: RunContext,
  { type, taskQueue }: ServedModel,
): string | undefined {
  const given = taskQueue ?? getOwn(start.settings?.modelQueues ?? {}, type);
  return given ?? (isPythonModelType(type) ? usualPythonQueue() : undefined);
}

/** Where a tool is called, and the task that a call becomes is followed. The name of the tool wins over a pattern, and a longer pattern over a shorter one. */
export function queueOfTool(context: RunContext, source: string): string | undefined {
  const { toolQueues = {} } = context.start.settings ?? {};
  const pattern = closestPattern(Object.keys(toolQueues), toolNames(source));
  const given = pattern === undefined || isPythonTool(source) ? undefined : getOwn(toolQueues, pattern);
  return given ?? queueOfToolList(context, source);
}

/** Where a worker is asked which tools there are: functions of Python are where its models are. */
export function queueOfToolList({ start, engine }: RunContext, source: string): string | undefined {
  if (!isPythonTool(source) || !changesOf(engine)('python-tools')) return undefined;
  return start.settings?.modelQueues?.['python'] ?? usualPythonQueue();
}

function usualPythonQueue(): string {
  return pythonQueueOf(workflowInfo().taskQueue);
}
