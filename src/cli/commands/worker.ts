import { Command } from 'commander';
import { resolve } from 'node:path';
import { act } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { aborted, interruption } from '../interruption.js';
import { withSession } from '../session.js';
import { collect } from '../start-options.js';

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
    .action(
      act(async (context, { procedures }: { procedures: string[] }) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const folders =
            procedures.length === 0 ? [process.cwd()] : procedures.map((folder) => resolve(folder));
          const { signal, dispose } = interruption();
          const worker = await session.startWorker({ performs: true, procedureFolders: folders });
          const { address, namespace, taskQueue } = session.target;
          screen.warn(
            `Working for "${taskQueue}" at ${address} (namespace ${namespace}), procedures from ${folders.join(', ')}, files in ${session.files.path}. Ctrl-C ends it.`,
          );
          try {
            await Promise.race([worker.ended, aborted(signal)]);
            screen.note('Ending …');
            await worker.stop();
          } finally {
            dispose();
          }
          screen.answer({ status: 'stopped', address, task_queue: taskQueue }, () => '');
          return exitCodes.done;
        }),
      ),
    );
}
