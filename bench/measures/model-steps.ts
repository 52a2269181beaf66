import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import type { JsonValue } from '../../dist/contract/json.js';
import type { ProcedureSource } from '../../dist/contract/source.js';
import { TactusPlugin } from '../../dist/worker.js';
import type { Subject } from '../models/subjects.ts';
import type { Stage } from '../stage.ts';
import type { BesideLibrary } from './model-host.ts';

const taskQueue = 'bench-models';

const procedure = ({ type, path }: Subject): ProcedureSource => ({
  entry: 'models.tac',
  files: {
    'models.tac': `m = Model { type = "${type}", path = "${path}" }
Procedure {
  input = { n = field.integer{required = true}, inputs = field.array{required = true} },
  function(input)
    for i = 1, input.n do m.predict_batch(input.inputs) end
  end
}`,
  },
});

/** Whole steps of runs, beside those of a workflow by hand whose activity asks the library in the worker itself; from one activity to the next, in ms. */
export async function measureModelSteps(
  stage: Stage,
  folder: string,
  subject: Subject,
  count: number,
  steps: number,
): Promise<BesideLibrary> {
  const plugin = new TactusPlugin({
    activities: { env: {}, filesRoot: folder, procedureFolders: [] },
  });
  const { nativeConnection: connection, client } = stage.env;
  const worker = await Worker.create({
    ...{ connection, taskQueue, workflowBundle: stage.bundle, plugins: [plugin] },
    activities: { askLibrary: (inputs: JsonValue[]) => subject.alone(inputs) },
  });
  const inputs = Array.from({ length: count }, (_, i) => subject.input(i));
  const source = procedure(subject);
  const run = async (type: string, argument: unknown): Promise<number[]> => {
    const workflowId = randomUUID();
    await client.workflow.execute(type, { taskQueue, workflowId, args: [argument] });
    return stepsOf(stage, workflowId);
  };
  return worker.runUntil(async () => {
    const here = (n: number): Promise<number[]> => run('tactus', { source, input: { n, inputs } });
    const alone = (n: number): Promise<number[]> => run('nativeModel', { n, inputs });
    await Promise.all([here(3), alone(3)]); // warm up
    const half = Math.ceil(steps / 2);
    const measured: BesideLibrary = { alone: await alone(half), here: await here(half) };
    measured.here.push(...(await here(half)));
    measured.alone.push(...(await alone(half)));
    return measured;
  });
}

/** From when each activity was asked for to when the next one was. */
async function stepsOf({ env }: Stage, workflowId: string): Promise<number[]> {
  const asked: number[] = [];
  let nextPageToken = new Uint8Array();
  do {
    // Few at a time: the answers for 1,000 inputs are large, and a message of gRPC has 4 MB at most.
    const page = await env.client.workflowService.getWorkflowExecutionHistory({
      ...{ namespace: env.client.options.namespace, execution: { workflowId } },
      ...{ maximumPageSize: 10, nextPageToken },
    });
    for (const { activityTaskScheduledEventAttributes: scheduled, eventTime } of page.history?.events ?? [])
      if (scheduled != null)
        asked.push(Number(eventTime?.seconds ?? 0) * 1000 + Number(eventTime?.nanos ?? 0) / 1e6);
    nextPageToken = new Uint8Array(page.nextPageToken ?? []);
  } while (nextPageToken.length > 0);
  return asked.slice(1).map((at, i) => at - (asked[i] ?? 0));
}
