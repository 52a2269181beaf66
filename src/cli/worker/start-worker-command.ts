import { Command, Option } from 'commander';
import { resolve } from 'node:path';
import { pythonQueueOf } from '../../contract/predictions/served-model.js';
import {
  isOfPython,
  modelsFolderVariable,
  usualModelsFolder,
} from '../../contract/predictions/loaded-models.js';
import { overlap, trustedModelsOf, warmModelsOf } from '../../worker/worker-environment.js';
import { codecName } from '../../worker/payloads/index.js';
import { configure } from '../configure.js';
import {
  TactusError,
  aborted,
  act,
  type ExitCode,
  exitCodes,
  interruption,
  type Context,
  collect,
} from '../command.js';
import { Readiness, temporalProbe } from '../../client/index.js';
import { readWorkerSettings, workerSettingVariables } from '../../worker/settings.schema.js';
import type { ListenAddress } from '../../configuration/setting-values.js';
import { startHealthServer } from '../../worker/health/health-server.js';
import { beginService, withServiceOptions, type ServiceFlags } from '../health/begin-service.js';
import { missingForModels, tellMissing } from './missing-models.js';
import {
  pythonEnvironment,
  pythonExtras,
  PythonWorker,
  type PythonExtra,
} from './python-worker/python-worker.js';
import { withSession, type Session } from '../session.js';

interface WorkerFlags extends ServiceFlags {
  health?: string;
  metrics?: string;
  procedures: string[];
  python?: boolean;
  models?: string;
  trust: string[];
  pythonModule: string[];
  requireKeys?: boolean;
  pythonExtra: readonly (PythonExtra | 'none')[];
}

/** `worker`: works for all runs of a task queue until it is told to end. */
export function workerCommand(): Command {
  return withServiceOptions(
    new Command('worker').description(
      'run a worker until interrupted; running activities get some time to end',
    ),
  )
    .option('--health <address>', 'answer /livez and /readyz there, such as 0.0.0.0:8701')
    .option('--metrics <address>', 'serve metrics for Prometheus there, such as 0.0.0.0:9464')
    .option(
      '--procedures <dir>',
      'folder of procedures that may be started by name; may be repeated',
      collect,
      [],
    )
    .option(
      '--require-keys',
      'refuse to start where a model of the procedures needs a key that is not set here',
    )
    .option('--python', 'also start a Python worker, for models that only Python loads')
    .option('--models <dir>', 'with --python: folder of models (default: models_folder, else models)')
    .option(
      '--trust <hash|dir>',
      'of --python: a file that may run code as it is read, by its sha256:…, or a folder of them; may be repeated',
      collect,
      [],
    )
    .option(
      '--python-module <name>',
      'of --python: a module that registers functions; may be repeated',
      collect,
      [],
    )
    .addOption(
      new Option('--python-extra <names...>', 'with --python: libraries to install')
        .choices([...pythonExtras, 'none'])
        .default(['sklearn']),
    )
    .action(
      act(async (context, flags: WorkerFlags) => {
        for (const [variable, flag] of [
          [workerSettingVariables.health, flags.health],
          [workerSettingVariables.metrics, flags.metrics],
        ] as const)
          if (flag !== undefined) process.env[variable] = flag;
        if (!(await beginService(context, flags))) return exitCodes.done;
        const { worker: given } = await configure(null, {}, context.screen);
        const { health = null } = readWorkerSettings(given, process.env);
        return withSession(context, (session) => work(session, context, flags, health));
      }),
    );
}

/** Works until it is interrupted, and tells an orchestrator meanwhile whether it can. */
async function work(
  session: Session,
  context: Context,
  flags: WorkerFlags,
  health: ListenAddress | null,
): Promise<ExitCode> {
  const { screen } = context;
  const { address, namespace, taskQueue } = session.target;
  const { procedures } = flags;
  const folders = procedures.length === 0 ? [process.cwd()] : procedures.map((folder) => resolve(folder));
  const missing = await missingForModels(folders, flags.requireKeys === true);
  if (flags.requireKeys === true && missing[0] !== undefined)
    throw new TactusError('missing_key', `This worker lacks what models need. ${missing.join('. ')}`);
  const { signal, dispose } = interruption();
  const readiness = new Readiness([
    temporalProbe(session.client),
    { name: 'polling', look: () => 'the worker has not begun' },
  ]);
  const probed = health === null ? null : await startHealthServer(health, readiness);
  let python: PythonWorker | null = null;
  let endMeter: (() => void) | null = null;
  try {
    if (probed !== null) screen.note(`Health: ${probed.url}/livez and ${probed.url}/readyz`);
    python = flags.python === true ? await startPython(session, flags, context) : null;
    const worker = await session.worker.start({ performs: true, warms: true, procedureFolders: folders });
    readiness.add(worker.probes);
    const { exportedMeter, meterReadiness } = await import('../../worker/index.js');
    const meter = exportedMeter();
    endMeter = meter === null ? null : meterReadiness(meter, readiness);
    screen.warn(
      `Working for "${taskQueue}" at ${address} (namespace ${namespace}), procedures from ${folders.join(', ')}, files in ${session.files.path}. Ctrl-C ends it.`,
    );
    tellMissing(missing, screen);
    try {
      await Promise.race([worker.ended, aborted(signal), ...(python === null ? [] : [python.ended])]);
    } finally {
      // Whyever it ends: what is in flight, and what isn't mirrored yet, gets its time.
      screen.note('Ending …');
      readiness.drain();
      await worker.stop();
    }
  } finally {
    endMeter?.();
    await python?.stop();
    await probed?.close();
    dispose();
  }
  screen.answer({ status: 'stopped', address, task_queue: taskQueue }, () => '');
  return exitCodes.done;
}

/** A worker in Python for models that only Python has, on the queue that runs look for it. */
async function startPython(
  { target, files, codecs }: Session,
  { models, trust, pythonModule, pythonExtra }: WorkerFlags,
  { screen }: Context,
): Promise<PythonWorker> {
  await configure(null, {}, screen);
  const codec = codecName(codecs.settings);
  if (codec !== null)
    throw new TactusError(
      'usage',
      `worker --python can't read payloads that ${codec} encodes: start a worker in Python of your own, ModelWorker on a client of temporalio with the same codec in its data_converter`,
    );
  const ofModels = models ?? process.env[modelsFolderVariable] ?? '';
  const folder = ofModels === '' ? null : resolve(ofModels);
  if (await overlap(folder ?? resolve(usualModelsFolder), files.path))
    throw new TactusError(
      'usage',
      `Procedures can write to the folder of models, ${folder ?? usualModelsFolder}: keep models and files (${files.path}) apart, by --models and --files`,
    );
  const named = process.env['TACTUS_TEMPORAL_PYTHON'] ?? '';
  const extras = pythonExtra.filter((each) => each !== 'none');
  const python = named === '' ? await pythonEnvironment(extras, (text) => screen.note(text)) : named;
  return new PythonWorker({
    ...{ python, address: target.address, namespace: target.namespace },
    taskQueue: pythonQueueOf(target.taskQueue),
    models: folder,
    trusted: [...trustedModelsOf(process.env), ...trust],
    modules: pythonModule,
    warm: warmModelsOf(process.env).filter(isOfPython),
    tell: (line) => screen.warn(`[python] ${line}`),
  });
}
