import { Command } from 'commander';
import { archiveRun, exportRun, packArchive, type ArchiveFile } from '../../client/runs/index.js';
import { toFileName, writeAtomically } from '../../client/storage/index.js';
import { act, exitCodes, ownVersion } from '../command.js';
import { withSession, type Session } from '../session.js';
import { writtenTo } from '../configure.js';
import { describeRun, refuseStuck } from '../../client/index.js';

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
          if (isOpen) context.screen.note(`${runId} is still running: the file has its log up to now.`);
          return exitCodes.done;
        }),
      ),
    );
}

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

/**
 * A run as it would be archived at this moment, and whether it goes on.
 * @throws TactusError run_not_found, run_stuck; what an archive is refused for
 */
export async function archiveNow(
  session: Session,
  runId: string,
): Promise<{ archive: ArchiveFile; isOpen: boolean }> {
  const run = session.tactus.attach(runId);
  const description = await describeRun(run);
  await refuseStuck(run, description);
  const archive = await session.ask(() => archiveRun(session.client, run, ownVersion()));
  return { archive, isOpen: description.closeTime === undefined };
}
