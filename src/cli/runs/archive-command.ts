import { Command } from 'commander';
import { packArchive } from '../../client/runs/index.js';
import { toFileName, writeAtomically } from '../../client/storage/index.js';
import { archiveNow } from './archive-now.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { withSession } from '../session.js';
import { writtenTo } from '../files/places.js';

/** `archive RUN`: a run with all that it was, in one file. */
export function archiveCommand(): Command {
  return new Command('archive')
    .description('write a run into one compressed file: its histories, log, source, input, state and result')
    .argument('<run>', 'id of the run')
    .option('--out <file>', 'the file, or a folder (default: <run>.tactus.gz in the working folder)')
    .action(
      act(async (context, { out }: { out?: string }, runId: string) =>
        withSession(context, async (session) => {
          const { archive, isOpen } = await archiveNow(session, runId);
          const path = await writtenTo(out, toFileName(runId).replace(/\.json$/, '.tactus.gz'));
          const packed = packArchive(archive);
          await writeAtomically(path, packed);
          const { status, executions } = archive;
          context.screen.answer(
            {
              run_id: runId,
              file: path,
              status,
              is_open: isOpen,
              executions: executions.length,
              bytes: packed.length,
            },
            () => path,
          );
          if (isOpen) context.screen.note(`${runId} goes on: the file has what it was until now.`);
          return exitCodes.done;
        }),
      ),
    );
}
