import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callQueuesOf, type CallQueues } from '../../../src/configuration/call-queues.js';
import { loadConfiguration } from '../../../src/configuration/load-configuration.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { servedQueues } from '../../../src/worker/call-queues.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const read = (...configs: JsonObject[]): CallQueues =>
  callQueuesOf(configs.map((config, i) => ({ file: `${i}.yml`, config })));

describe('task queues of calls', () => {
  it('go with runs by their names, and to workers whole', async () => {
    const folder = temporaryFolder('queues');
    mkdirSync(join(folder, '.tactus'));
    mkdirSync(join(folder, 'flows'));
    writeFileSync(
      join(folder, '.tactus/config.yml'),
      'model_queues: {openai: {task_queue: gpt, per_second: 5}, local: gpu}\ntool_queues: {crm.*: {task_queue: crm, concurrency: 2}}\n',
    );
    writeFileSync(
      join(folder, 'flows/x.tac.yml'),
      'model_queues: {openai: mine}\ntool_queues: {crm.*: mine}\n',
    );
    const { settings, callQueues, notes } = await loadConfiguration(join(folder, 'flows/x.tac'), {
      workingFolder: folder,
      env: { HOME: join(folder, 'home') },
    });
    expect(settings).toEqual({
      modelQueues: { openai: 'gpt', local: 'gpu' },
      toolQueues: { 'crm.*': 'crm' },
    });
    expect(callQueues).toEqual({
      models: { openai: { taskQueue: 'gpt', perSecond: 5 }, local: { taskQueue: 'gpu' } },
      tools: { 'crm.*': { taskQueue: 'crm', concurrency: 2 } },
    });
    expect(notes).toEqual([
      expect.stringContaining('x.tac.yml: model_queues has no effect here'),
      expect.stringContaining('x.tac.yml: tool_queues has no effect here'),
    ]);
  });

  it('are those of the later file, name by name', () => {
    const first = { tool_queues: { a: 'one', b: 'one' } };
    expect(read(first, { tool_queues: { b: { task_queue: ' two ' } } }).tools).toEqual({
      a: { taskQueue: 'one' },
      b: { taskQueue: 'two' },
    });
  });

  it.each<[JsonObject, string]>([
    [{ model_queues: 'gpt' }, 'must be a table of task queues by providers'],
    [{ model_queues: { openai: { queue: 'gpt' } } }, 'openai has the unknown field queue'],
    [{ model_queues: { openai: { per_second: 5 } } }, 'openai.task_queue must be the name of a task queue'],
    [
      { model_queues: { openai: { task_queue: 'gpt', per_second: 0 } } },
      'per_second must be a number above 0',
    ],
    [
      { model_queues: { openai: { task_queue: 'gpt', concurrency: 1.5 } } },
      'concurrency must be a positive integer',
    ],
    [{ model_queues: { 'open ai': 'gpt' } }, 'open ai is no name of a provider'],
    [
      { model_queues: { sklearn: { task_queue: 'gpu', per_second: 5 } } },
      'sklearn can have a task_queue alone',
    ],
    [
      { model_queues: { sklearn: 'gpu', onnx: 'gpu' } },
      'model_queues.sklearn names the task queue gpu, as model_queues.onnx',
    ],
    [{ model_queues: { python: 'all' }, tool_queues: { 'crm.*': 'all' } }, 'as tool_queues.crm.* does'],
    [{ tool_queues: ['crm'] }, 'must be a table of task queues by names of tools'],
    [{ tool_queues: { 'crm find': 'crm' } }, '"crm find" is no name of a tool'],
    [
      { tool_queues: { 'python.rate': 'crm' } },
      'python.rate is called on the task queue of workers in Python',
    ],
    [
      { tool_queues: { crm: { concurrency: 2 } } },
      'tool_queues.crm.task_queue must be the name of a task queue',
    ],
  ])('%j is refused', (config, message) => {
    expect(() => read(config)).toThrow(message);
  });
});

describe('a worker serves', () => {
  it('each queue once, with the lowest limits that are set for it, and no queue of workers in Python', () => {
    const queues = read({
      model_queues: {
        openai: { task_queue: 'calls', per_second: 5 },
        onnx: { task_queue: 'calls', per_second: 3, concurrency: 9 },
        sklearn: 'python-models',
      },
      tool_queues: { crm: { task_queue: 'calls', concurrency: 2 }, 'till.*': 'till' },
    });
    expect(servedQueues(queues, 'tactus')).toEqual([
      { taskQueue: 'calls', perSecond: 3, concurrency: 2, models: ['openai', 'onnx'] },
      { taskQueue: 'till', models: [] },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ model_queues: { local: 'tactus' } }, 'model_queues.local names tactus, the task queue of the runs'],
    [{ tool_queues: { crm: 'tactus' } }, 'tool_queues.crm names tactus'],
    [{ tool_queues: { crm: 'tactus-python' } }, 'names tactus-python, the task queue of workers in Python'],
  ])('no second worker on the task queue of the runs: %j', (config, message) => {
    expect(() => servedQueues(read(config), 'tactus')).toThrow(message);
  });
});
