import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pastEnd } from '../../client/runs/index.js';
import { toFileName } from '../../client/storage/index.js';
import { writeSpecification } from '../../testing/specifications/write-specification.js';
import { asked, placesOf } from '../changes/past-run-places.js';
import { exitCodes, TactusError, type Context, type ExitCode } from '../command.js';
import { writtenTo } from '../configure.js';
import { withSession } from '../session.js';

/**
 * `test --from-run RUN`: writes a run as a feature file.
 * @throws TactusError run_not_found; usage where the run goes on, and where the file is there; file_failed
 */
export async function writeFromRun(
  context: Context,
  named: string,
  output: string | undefined,
): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const [place] = await placesOf(session, [named]);
    if (place === undefined) throw new TactusError('run_not_found', `There is no run ${named}`);
    const past = await asked(session, place).read();
    const { text, problems } = writeSpecification(past, await pastEnd(past));
    const path = await writtenTo(output, toFileName(past.runId).replace(/\.json$/, '.feature'));
    await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
      if (isThere)
        throw new TactusError('usage', `${path} is there already: name another file with --output`);
      const { message } = error as Error;
      throw new TactusError('file_failed', `${path} can't be written: ${message}`, { path });
    });
    const { screen } = context;
    for (const problem of problems) screen.warn(`Not as in the run: ${problem}`);
    const { entry = '' } = past.started.start.source ?? {};
    screen.answer({ run_id: past.runId, file: path, problems }, () => path);
    screen.note(`To run it, write in ${entry}: Specification { from = ${JSON.stringify(basename(path))} }`);
    return exitCodes.done;
  });
}
