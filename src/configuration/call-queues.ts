import { defined, getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { isPythonModelType } from '../contract/predictions/served-model.js';
import type { CallQueue, RunSettings } from '../contract/runs/run-settings.js';
import { isPythonTool } from '../contract/tools/outside-tool.js';
import { configInvalid } from './setting-values.js';

/** Settings that count in files that hold for all procedures alone: workers must serve what runs are sent to. */
export const queueSettings = ['model_queues', 'tool_queues'] as const;

/** Task queues of their own for calls, which the configuration names and workers serve. */
export interface CallQueues {
  /** By provider, or by type of prediction models. */
  models: Record<string, CallQueue>;
  /** By names of tools, with `*` for anything. */
  tools: Record<string, CallQueue>;
}

/**
 * Reads the task queues for calls of several files. Later files win.
 * @throws TactusError config_invalid
 */
export function callQueuesOf(configs: readonly { file: string; config: JsonObject }[]): CallQueues {
  const queues: CallQueues = { models: {}, tools: {} };
  for (const { file, config } of configs) {
    readQueues(config, file, 'model_queues', (name, queue, where) => {
      if (!/^[\w-]+$/.test(name))
        throw configInvalid(`${file}: model_queues: ${name} is no name of a provider or of a type of models`);
      if (isPythonModelType(name) && (queue.perSecond ?? queue.concurrency) !== undefined)
        throw configInvalid(
          `${where} can have a task_queue alone: the worker in Python that serves it sets its rate itself`,
        );
      setOwn(queues.models, name, queue);
    });
    readQueues(config, file, 'tool_queues', (name, queue) => {
      if (!/^[^\s\p{Cc}]+$/u.test(name))
        throw configInvalid(`${file}: tool_queues: ${JSON.stringify(name)} is no name of a tool`);
      if (isPythonTool(name))
        throw configInvalid(
          `${file}: tool_queues: ${name} is called on the task queue of workers in Python: name it in model_queues.python`,
        );
      setOwn(queues.tools, name, queue);
    });
  }
  refuseShared(queues);
  return queues;
}

/** What runs are told of queues: their names, where there are any. */
export function queueNames({ models, tools }: CallQueues): Pick<RunSettings, 'modelQueues' | 'toolQueues'> {
  return defined({ modelQueues: namesOf(models), toolQueues: namesOf(tools) });
}

function namesOf(queues: Readonly<Record<string, CallQueue>>): Record<string, string> | undefined {
  const names = Object.entries(queues).map(([of, { taskQueue }]) => [of, taskQueue] as const);
  return names.length === 0 ? undefined : Object.fromEntries(names);
}

/** A worker in Python and one of Node.js would take each other's calls, and fail them. */
function refuseShared({ models, tools }: CallQueues): void {
  const all = [
    ...Object.entries(models).map(([name, queue]) => ({ name: `model_queues.${name}`, of: name, ...queue })),
    ...Object.entries(tools).map(([name, queue]) => ({ name: `tool_queues.${name}`, of: null, ...queue })),
  ];
  const isPython = ({ of }: { of: string | null }): boolean => of !== null && isPythonModelType(of);
  for (const python of all.filter(isPython)) {
    const other = all.find((each) => !isPython(each) && each.taskQueue === python.taskQueue);
    if (other !== undefined)
      throw configInvalid(
        `${python.name} names the task queue ${python.taskQueue}, as ${other.name} does: workers in Python serve the first, and others the second. Give each its own`,
      );
  }
}

function readQueues(
  config: JsonObject,
  file: string,
  setting: (typeof queueSettings)[number],
  take: (name: string, queue: CallQueue, where: string) => void,
): void {
  const given = getOwn(config, setting) ?? {};
  const keys = setting === 'model_queues' ? 'providers or types of models' : 'names of tools';
  if (!isObject(given)) throw configInvalid(`${file}: ${setting} must be a table of task queues by ${keys}`);
  for (const [name, queue] of Object.entries(given)) {
    const where = `${file}: ${setting}.${name}`;
    take(name, readQueue(queue, where), where);
  }
}

const queueFields = ['task_queue', 'per_second', 'concurrency'];

function readQueue(given: JsonValue, where: string): CallQueue {
  if (typeof given === 'string') return readQueue({ task_queue: given }, where);
  if (!isObject(given))
    throw configInvalid(`${where} must be the name of a task queue, or a table with task_queue`);
  const odd = Object.keys(given).find((key) => !queueFields.includes(key));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${queueFields.join(', ')}`);
  const { task_queue: taskQueue, per_second: perSecond, concurrency } = given;
  if (typeof taskQueue !== 'string' || taskQueue.trim() === '')
    throw configInvalid(`${where}.task_queue must be the name of a task queue`);
  if (perSecond !== undefined && !(typeof perSecond === 'number' && perSecond > 0))
    throw configInvalid(`${where}.per_second must be a number above 0`);
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && Number(concurrency) > 0))
    throw configInvalid(`${where}.concurrency must be a positive integer`);
  return {
    taskQueue: taskQueue.trim(),
    ...defined({ perSecond }),
    ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
  };
}
