import { Command } from 'commander';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Archive, packArchive, readArchive } from '../../client/runs/index.js';
import { quietRuntime, replayArchive } from '../../worker/index.js';
import { codecsOf } from '../payloads/codecs.js';
import { archiveNow } from './export-commands.js';
import { TactusError, act, exitCodes, type Context } from '../command.js';
import { logText } from './log-command.js';
import { withSession } from '../session.js';

/** `replay FILE|RUN`: whether this build leads a run the way that it went. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('replay a run or an archive with this build, and show its log')
    .argument('<file|run>', 'file of an archive, or id of a run')
    .action(
      act(async (context, _: object, named: string) => {
        const { screen, options } = context;
        const { dataConverter } = await codecsOf(context);
        // A run may be called as a folder is.
        const isFile = statSync(named, { throwIfNoEntry: false })?.isFile() === true;
        const archive = isFile
          ? await readArchive(await bytesOf(named), named, loadDataConverter(dataConverter))
          : await archiveOf(context, named);
        // The SDK would write to stdout.
        quietRuntime({ verbose: options.verbose === true, write: (...line) => screen.log(...line) });
        const problems = await replayArchive(archive, dataConverter);
        const { histories, started: _started, ...read } = archive;
        screen.answer({ ...read, executions: histories.length, problems }, () => logText(archive.log));
        for (const { execution, message } of problems) screen.warn(`execution ${execution}: ${message}`);
        if (problems.length > 0) return exitCodes.failed;
        screen.note(
          `${archive.run_id} (${archive.status}) replays without a difference in all of its ${histories.length} executions.`,
        );
        return exitCodes.done;
      }),
    );
}

/** A run as it would be archived now. @throws TactusError run_not_found; what an archive is refused for */
function archiveOf(context: Context, runId: string): Promise<Archive> {
  return withSession(context, async (session) => {
    const { archive } = await archiveNow(session, runId);
    return readArchive(packArchive(archive), runId, session.client.options.loadedDataConverter);
  });
}

/** @throws TactusError usage */
async function bytesOf(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new TactusError(
      'usage',
      `${file} can't be read (${error instanceof Error ? error.message : String(error)})`,
    );
  });
}
