import { Command } from 'commander';
import { exportRun } from '../../client/runs/index.js';
import { toFileName, writeAtomically } from '../../client/storage/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { writtenTo } from '../files/places.js';
import { withSession } from '../session.js';

/** `export RUN`: writes a run as a record that the Python Tactus loads. */
export function exportCommand(): Command {
  return new Command('export')
    .description("write a run as a file that the Python Tactus's FileStorage loads, and import goes on with")
    .argument('<run>', 'id of the run')
    .option('--out <file>', 'the file, or a folder (default: <run>.json in the working folder)')
    .action(
      act(async (context, { out }: { out?: string }, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await refuseStuck(run, await describeRun(run));
          const record = await session.ask(() => exportRun(run));
          if (out === undefined && context.options.json === true) {
            context.screen.answer(record, () => '');
            return exitCodes.done;
          }
          const path = await writtenTo(out, toFileName(runId));
          await writeAtomically(path, `${JSON.stringify(record, null, 2)}\n`);
          const { status, execution_log: log } = record;
          context.screen.answer({ run_id: runId, file: path, status, checkpoints: log.length }, () => path);
          return exitCodes.done;
        }),
      ),
    );
}
