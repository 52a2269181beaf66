import type { WorkerDeploymentOptions, WorkerOptions } from '@temporalio/worker';
import { z } from 'zod';
import {
  readListenAddress,
  schemaProblems,
  type ListenAddress,
  type SettingProblem,
} from '../configuration/setting-values.js';
import {
  engineVariable,
  healthVariable,
  metricsVariable,
  type Environment,
} from '../contract/environment.js';
import { newestEngine, patchOf } from '../contract/engine.js';
import { TactusError } from '../contract/errors.js';
import { defined, type JsonObject } from '../contract/json/json.js';
import { readMemory } from '../contract/predictions/loaded-models.js';
import { readDuration } from '../contract/time/duration.js';

/** Bytes of heap that are counted for a run in the cache: twice what a waiting run takes (138 KB), as busy ones hold more. */
const bytesPerRun = 276_000;
const fewestCached = 10;

const count = z.int().positive();
const rate = z.number().positive();

/** `30s`, `5m`, or seconds; in ms. */
export const timeSetting = z.union([z.string(), z.number()]).transform((given, context): number => {
  try {
    return readDuration(given, 'it', 'config_invalid');
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a time such as 30s or 5m' });
    return z.NEVER;
  }
});

const memory = z.string().transform((text, context): number => {
  const bytes = readMemory(text);
  if (bytes !== null) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size such as 500MB or 2GB' });
  return z.NEVER;
});

/** `0.0.0.0:8701`, `[::]:8701`, or a port alone, which is one of this machine. */
export const listenAddress = z.union([z.string(), z.int()]).transform((given, context): ListenAddress => {
  const address = readListenAddress(String(given));
  if (address !== null) return address;
  context.addIssue({ code: 'custom', message: 'must be a port, or an address and a port: 0.0.0.0:8701' });
  return z.NEVER;
});

/** Of a file it is a number, of the environment a text. */
const engine = z
  .union([z.int(), z.string().regex(/^\d+$/).transform(Number)])
  .refine((each) => each >= 1 && each <= newestEngine, `must be from 1 to ${newestEngine}`);

/** What counts of it where nobody says anything; times as people write them. What is left out is as the SDK has it. */
export const usualWorkerSettings = { grace_period: '10s', ready_lag: '1m', sticky_timeout: '3s' } as const;

const settings = z
  .strictObject({
    health: listenAddress.optional(),
    metrics: listenAddress.optional(),
    grace_period: timeSetting.prefault(usualWorkerSettings.grace_period),
    ready_lag: timeSetting.prefault(usualWorkerSettings.ready_lag),
    workflow_tasks: count.optional(),
    activities: count.optional(),
    local_activities: count.optional(),
    workflow_pollers: z.int().min(2).optional(),
    activity_pollers: count.optional(),
    activities_per_second: rate.optional(),
    queue_per_second: rate.optional(),
    cached_runs: z.int().min(2).optional(),
    cache_memory: memory.optional(),
    sticky_timeout: timeSetting.prefault(usualWorkerSettings.sticky_timeout),
    deployment: z.string().min(1).optional(),
    build_id: z.string().min(1).optional(),
    engine: engine.optional(),
    gate_archives: z.string().min(1).optional(),
    stack_traces: z.boolean().optional(),
  })
  .refine(
    ({ cached_runs: runs, cache_memory: bytes }) => runs === undefined || bytes === undefined,
    'has cached_runs and cache_memory: one of them says how large the cache is',
  )
  .refine(
    ({ deployment, build_id: buildId }) => (deployment === undefined) === (buildId === undefined),
    'needs both deployment and build_id, or neither',
  );

/** What configuration says of workers, and where it doesn't say, what is usual. Times in ms. */
export type WorkerSettings = z.infer<typeof settings>;

/** Variables that stand for settings of the table `worker`. Temporal's Worker Controller sets `deployment` and `build_id`. */
export const workerSettingVariables = {
  health: healthVariable,
  metrics: metricsVariable,
  deployment: 'TEMPORAL_DEPLOYMENT_NAME',
  build_id: 'TEMPORAL_WORKER_BUILD_ID',
  engine: engineVariable,
} as const;

/** What is wrong with the table `worker` of the configuration. */
export function workerProblems(given: JsonObject): SettingProblem[] {
  return schemaProblems(settings.safeParse(given).error?.issues ?? []);
}

/** @throws TactusError config_invalid naming what is wrong */
export function readWorkerSettings(given: JsonObject, env: Environment): WorkerSettings {
  return readTable(settings, { table: 'worker', given, env, variables: workerSettingVariables });
}

/** A table of the configuration, and the variables that stand for some of its settings. */
interface GivenTable {
  table: string;
  given: JsonObject;
  env: Environment;
  variables: Readonly<Record<string, string>>;
}

/**
 * A table of the configuration, with what the environment says: it wins.
 * @throws TactusError config_invalid naming what is wrong, and never its value
 */
export function readTable<T>(schema: z.ZodType<T>, { table, given, env, variables }: GivenTable): T {
  const ofEnvironment = Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const value = env[variable] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
  const read = schema.safeParse({ ...given, ...ofEnvironment });
  if (read.success) return read.data;
  const [problem] = schemaProblems(read.error.issues);
  const [name = ''] = problem?.path ?? [];
  const place = [`.tactus/config.yml: ${table}`, ...(problem?.path ?? [])].join('.');
  const where = name in ofEnvironment ? (variables[name] ?? place) : place;
  throw new TactusError('config_invalid', `${where}: ${problem?.message ?? ''}`);
}

/** What the SDK is told of them. */
export function sdkOptions(settings: WorkerSettings): Partial<WorkerOptions> {
  const { cache_memory: cacheBytes, cached_runs: cachedRuns } = settings;
  return {
    ...modelWorkerOptions(settings),
    // A worker that died keeps its runs for this long; a live one answers at once.
    stickyQueueScheduleToStartTimeout: settings.sticky_timeout,
    ...defined({
      patchActivationCallback: settings.engine === undefined ? undefined : beginsOn(settings.engine),
      maxConcurrentWorkflowTaskExecutions: settings.workflow_tasks,
      maxConcurrentActivityTaskExecutions: settings.activities,
      maxConcurrentLocalActivityExecutions: settings.local_activities,
      maxConcurrentWorkflowTaskPolls: settings.workflow_pollers,
      maxConcurrentActivityTaskPolls: settings.activity_pollers,
      maxActivitiesPerSecond: settings.activities_per_second,
      maxTaskQueueActivitiesPerSecond: settings.queue_per_second,
      maxCachedWorkflows:
        cacheBytes === undefined ? cachedRuns : Math.max(fewestCached, Math.floor(cacheBytes / bytesPerRun)),
    }),
  };
}

/** What begins has no newer engine than this one; what has begun goes on as it began. */
function beginsOn(engine: number): NonNullable<WorkerOptions['patchActivationCallback']> {
  const newer = Array.from({ length: newestEngine - engine }, (_, index) => patchOf(engine + 1 + index));
  return ({ patchId }) => !newer.includes(patchId);
}

/** The same for workers that only call models: rates and numbers are those of their task queue. */
export function modelWorkerOptions(settings: WorkerSettings): Partial<WorkerOptions> {
  return {
    shutdownGraceTime: settings.grace_period,
    ...defined({ workerDeploymentOptions: deploymentOptions(settings) }),
  };
}

/**
 * Runs go on in the newest version by themselves: their history is replayed there, and what a procedure is stays with each run.
 * undefined: the worker takes tasks of all versions.
 */
function deploymentOptions({
  deployment,
  build_id: buildId,
}: WorkerSettings): WorkerDeploymentOptions | undefined {
  if (deployment === undefined || buildId === undefined) return undefined;
  return {
    useWorkerVersioning: true,
    version: { deploymentName: deployment, buildId },
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}
