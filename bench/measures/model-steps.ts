import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import type { JsonValue } from '../../dist/contract/json/json.js';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { TactusPlugin } from '../../dist/worker.js';
import type { Subject } from '../models/subjects.ts';
import type { Stage } from '../stage.ts';
import type { LibraryActivities, NativeModel } from '../workflows.ts';
import type { BesideLibrary } from './model-host.ts';

const taskQueue = 'bench-models';

/** A model whose steps are measured. */
export interface SteppedModel {
  /** How a procedure declares it. */
  declaration: string;
  /** What it is called, and where, by hand. */
  byHand: Pick<NativeModel, 'model' | 'taskQueue'>;
}

/** Whole steps of runs, beside those of a workflow by hand whose activity asks the library in the worker itself; from one activity to the next, in ms. */
export function measureModelSteps(
  stage: Stage,
  folder: string,
  subject: Subject,
  count: number,
  steps: number,
): Promise<BesideLibrary> {
  const inputs = Array.from({ length: count }, (_, i) => subject.input(i));
  const model = {
    declaration: `{ type = "${subject.type}", path = "${subject.path}" }`,
    byHand: { model: subject.name, taskQueue },
  };
  const askLibrary: LibraryActivities['askLibrary'] = (_model, asked) => subject.alone(asked);
  return measureSteps(stage, folder, model, inputs, steps, { askLibrary });
}

/** The same of any model: `activities` are what the worker of the workflow by hand has. */
export async function measureSteps(
  stage: Stage,
  folder: string,
  { declaration, byHand }: SteppedModel,
  inputs: readonly JsonValue[],
  steps: number,
  activities: Partial<LibraryActivities> = {},
): Promise<BesideLibrary> {
  const plugin = new TactusPlugin({
    activities: { env: {}, filesRoot: folder, procedureFolders: [] },
  });
  const { nativeConnection: connection, client } = stage.env;
  const worker = await Worker.create({
    ...{ connection, taskQueue, workflowBundle: stage.bundle, plugins: [plugin], activities },
  });
  const source = procedure(declaration);
  const run = async (type: string, argument: unknown): Promise<number[]> => {
    const workflowId = randomUUID();
    await client.workflow.execute(type, { taskQueue, workflowId, args: [argument] });
    return stepsOf(stage, workflowId);
  };
  return worker.runUntil(async () => {
    const here = (n: number): Promise<number[]> => run('tactus', { source, input: { n, inputs } });
    const alone = (n: number): Promise<number[]> => run('nativeModel', { n, inputs, ...byHand });
    await Promise.all([here(3), alone(3)]); // warm up
    const half = Math.ceil(steps / 2);
    const measured: BesideLibrary = { alone: await alone(half), here: await here(half) };
    measured.here.push(...(await here(half)));
    measured.alone.push(...(await alone(half)));
    return measured;
  });
}

function procedure(declaration: string): ProcedureSource {
  return {
    entry: 'models.tac',
    files: {
      'models.tac': `m = Model ${declaration}
Procedure {
  input = { n = field.integer{required = true}, inputs = field.array{required = true} },
  function(input)
    for i = 1, input.n do m.predict_batch(input.inputs) end
  end
}`,
    },
  };
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
