import { Command, Option } from 'commander';
import { resolve } from 'node:path';
import { pythonQueueOf } from '../../contract/served-model.js';
import { isOfPython } from '../../contract/warm-model.js';
import { warmModelsOf } from '../../worker/model-settings.js';
import { configure } from '../configure.js';
import { act, type Context } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { aborted, interruption } from '../interruption.js';
import { pythonEnvironment, pythonExtras, type PythonExtra } from '../python-worker/python-environment.js';
import { PythonWorker } from '../python-worker/python-worker.js';
import { withSession, type Session } from '../session.js';
import { collect } from '../start-options.js';

interface WorkerFlags {
  procedures: string[];
  python?: boolean;
  models?: string;
  pythonModule: string[];
  pythonExtra: readonly (PythonExtra | 'none')[];
}

/** `worker`: works for all runs of a task queue until it is told to end. */
export function workerCommand(): Command {
  return new Command('worker')
    .description('work for runs until interrupted; activities in flight get a while to end')
    .option(
      '--procedures <dir>',
      'folder of procedures that may be started by name; may be repeated',
      collect,
      [],
    )
    .option('--python', 'with a worker in Python beside it, for models that only Python loads')
    .option('--models <dir>', 'of --python: folder of models (default: the folder of files)')
    .option(
      '--python-module <name>',
      'of --python: a module that registers functions; may be repeated',
      collect,
      [],
    )
    .addOption(
      new Option('--python-extra <names...>', 'of --python: libraries that it is to have')
        .choices([...pythonExtras, 'none'])
        .default(['sklearn']),
    )
    .action(
      act(async (context, flags: WorkerFlags) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const { procedures } = flags;
          const folders =
            procedures.length === 0 ? [process.cwd()] : procedures.map((folder) => resolve(folder));
          const { signal, dispose } = interruption();
          const python = flags.python === true ? await startPython(session, flags, context) : null;
          try {
            const worker = await session.startWorker({
              performs: true,
              warms: true,
              procedureFolders: folders,
            });
            const { address, namespace, taskQueue } = session.target;
            screen.warn(
              `Working for "${taskQueue}" at ${address} (namespace ${namespace}), procedures from ${folders.join(', ')}, files in ${session.files.path}. Ctrl-C ends it.`,
            );
            try {
              await Promise.race([worker.ended, aborted(signal), ...(python === null ? [] : [python.ended])]);
            } finally {
              // Whyever it ends: what is in flight, and what isn't mirrored yet, gets its time.
              screen.note('Ending …');
              await worker.stop();
            }
          } finally {
            await python?.stop();
            dispose();
          }
          const { address, taskQueue } = session.target;
          screen.answer({ status: 'stopped', address, task_queue: taskQueue }, () => '');
          return exitCodes.done;
        }),
      ),
    );
}

/** A worker in Python for models that only Python has, on the queue that runs look for it. */
async function startPython(
  { target, files }: Session,
  { models, pythonModule, pythonExtra }: WorkerFlags,
  { screen }: Context,
): Promise<PythonWorker> {
  await configure(null, {}, screen);
  const named = process.env['TACTUS_TEMPORAL_PYTHON'] ?? '';
  const extras = pythonExtra.filter((each) => each !== 'none');
  const python = named === '' ? await pythonEnvironment(extras, (text) => screen.note(text)) : named;
  return new PythonWorker({
    ...{ python, address: target.address, namespace: target.namespace },
    taskQueue: pythonQueueOf(target.taskQueue),
    models: resolve(models ?? files.path),
    modules: pythonModule,
    warm: warmModelsOf(process.env).filter(isOfPython),
    tell: (line) => screen.warn(`[python] ${line}`),
  });
}
