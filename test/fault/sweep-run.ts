import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityDeps } from '../../src/activities/index.js';
import type { RunView, LogEntryView } from '../../src/contract/runs/run-view.js';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { workflowType } from '../../src/contract/names.js';
import type { RunSettings } from '../../src/contract/runs/run-settings.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import type { StartInput } from '../../src/contract/runs/start-input.js';
import { startChildWorker, type KillAt } from '../support/child-worker.js';
import { historiesOf, type History } from '../support/histories.js';
import type { TestServer } from '../support/test-server.js';
import { startWorker } from '../support/test-worker.js';
import { historyToText } from '../replay/history-text.js';
import { answerWhenWaiting } from './answer-when-waiting.js';

/** Where histories are put that something went wrong with. */
const lost = join(import.meta.dirname, '../../.toolchain');

export interface SweepRun {
  runId: string;
  source: ProcedureSource;
  input: JsonObject;
  filesRoot: string;
  /** Where its workers have their models. */
  modelsFolder?: string;
  env: Record<string, string>;
  /** The request that is approved, by what follows the run's id: `2`, or `2/1` in a child run. */
  request: string | null;
  /** What else answers while the run waits, until told to stop. */
  answering?: (signal: AbortSignal) => Promise<void>;
  /** What the workers have of tools; `module`: path of one that exports them. */
  tools?: Pick<ActivityDeps, 'mcpServers' | 'toolPolicy'> & { module: string };
  /** The boundary at which the first worker kills itself; left out: none does. */
  killAt?: KillAt;
  /** What is killed there instead: the process with the first worker's models. The worker goes on, and ends the run. */
  victim?: 'models';
  settings?: RunSettings;
  /** It is cancelled; left out: it completes. */
  endsCancelled?: true;
}

export interface SweepOutcome {
  /** How many the first worker came to; null where one of them killed it. */
  boundaries: number | null;
  /** What stood at each of them. */
  stations: readonly string[];
  output: JsonValue;
  view: RunView;
  log: LogEntryView[];
  histories: History[];
}

/** One run whose worker dies at a boundary and is followed by another one, which ends it. */
export async function sweepRun(server: TestServer, options: SweepRun): Promise<SweepOutcome> {
  const { runId, source, input, filesRoot, env, request, killAt, victim, settings, answering } = options;
  const { module, ...tools } = options.tools ?? { module: null };
  const start: StartInput = {
    ...{ source, input, limits: { heartbeatMs: 1_000 }, searchAttributes: true },
    ...(settings === undefined ? {} : { settings }),
  };
  const models = options.modelsFolder === undefined ? {} : { modelsFolder: options.modelsFolder };
  const stopped = new AbortController();
  const child = await startChildWorker({
    address: server.env.address,
    taskQueue: runId,
    filesRoot,
    ...models,
    env,
    tools: { module, ...tools },
    ...(killAt === undefined ? {} : { killAt }),
    ...(victim === undefined ? {} : { victim }),
  });
  const handle = await server.client.workflow.start(workflowType, {
    args: [start],
    workflowId: runId,
    taskQueue: runId,
    // A dead worker is noticed after this time; by default after 10 s.
    workflowTaskTimeout: '2s',
  });
  const answered =
    request === null ? null : answerWhenWaiting(server.client, `${runId}/${request}`, stopped.signal);
  const alsoAnswered = answering?.(stopped.signal);
  const ended = handle.result() as Promise<JsonValue>;
  const result = options.endsCancelled === true ? ended.catch(() => null) : ended;
  result.catch(() => undefined); // awaited below
  await Promise.race([child.ended, result]);
  const stations = await child.boundaries();
  const boundaries = stations?.length ?? null;
  await child.kill();
  const survivor = await startWorker(server, {
    taskQueue: runId,
    activities: {
      env,
      filesRoot,
      ...models,
      ...tools,
      ...(module === null ? {} : ((await import(module)) as object)),
    },
    worker: { reuseV8Context: true, workflowThreadPoolSize: 1 },
  });
  try {
    const output = await result;
    const run = server.tactus.attach(runId);
    const view = await run.status();
    const { execution_log: log } = await run.log();
    return {
      boundaries,
      stations: stations ?? [],
      output,
      view,
      log,
      histories: await historiesOf(server.client, runId),
    };
  } catch (error) {
    // What can't be replayed must be there to be looked at.
    for (const [i, history] of (await historiesOf(server.client, runId)).entries())
      writeFileSync(join(lost, `${runId}-${i}.json`), historyToText(history));
    throw error;
  } finally {
    stopped.abort();
    await answered;
    await alsoAnswered;
    await survivor.stop();
  }
}
