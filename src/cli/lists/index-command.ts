import { Command } from 'commander';
import { checkIndex, lostFeeders, reconcileIndex } from '../../client/index.js';
import type { RunIndex } from '../../read-model/run-index.js';
import {
  TactusError,
  act,
  answerDryRun,
  exitCodes,
  withDryRun,
  type Context,
  type DryRunFlag,
  type ExitCode,
} from '../command.js';
import { tellMissing } from '../people/requests.js';
import { withSession, type Session } from '../session.js';

/** `index status|rebuild`: where `list` and `pending` read. */
export function indexCommand(): Command {
  const command = new Command('index').description(
    'the index that list and pending read, instead of asking runs',
  );
  command
    .command('status')
    .description('show how many runs and requests the index has, and whether it is up to date')
    .action(act((context) => onIndex(context, (session, index) => showStatus(context, session, index))));
  withDryRun(command.command('rebuild'))
    .description('delete the index, and rebuild it from the server and the runs')
    .action(
      act((context, { dryRun }: DryRunFlag) =>
        onIndex(context, async (session, index) => {
          if (dryRun !== true) return rebuild(context, session, index);
          const { runs, requests } = await index.counts();
          return answerDryRun(context, `delete the index of ${runs} runs, and rebuild it`, {
            runs,
            requests,
          });
        }),
      ),
    );
  return command;
}

/** @throws TactusError usage where there is no index */
function onIndex(
  context: Context,
  work: (session: Session, index: RunIndex) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const index = await session.index();
    if (index === null)
      throw new TactusError(
        'usage',
        'There is no index for a server elsewhere: name one by index: in .tactus/config.yml, or by TACTUS_TEMPORAL_INDEX',
      );
    return work(session, index);
  });
}

async function showStatus({ screen }: Context, session: Session, index: RunIndex): Promise<ExitCode> {
  const { caughtUpAt, lost, unsure } = await checkIndex(session.client, index);
  const { runs, requests, byStatus } = await index.counts();
  const feeders = await index.feeders();
  const known = caughtUpAt === null ? null : new Date(caughtUpAt).toISOString();
  const document = {
    ...{ runs, requests, by_status: byStatus, caught_up_at: known },
    ...{ feeders: feeders.length - lost.length, lost: lost.length, unsure: unsure.length },
  };
  screen.answer(document, () =>
    [
      `${runs} runs, ${requests} open requests`,
      known === null ? 'never compared with the server: the next list or pending does it' : `as of ${known}`,
      `${document.feeders} workers write to it`,
      ...(lost.length === 0
        ? []
        : [`${lost.length} ended without a word: the next list or pending asks their runs`]),
      ...(unsure.length === 0 ? [] : [`${unsure.length} runs have to be asked`]),
    ].join('\n'),
  );
  return exitCodes.done;
}

async function rebuild({ screen }: Context, session: Session, index: RunIndex): Promise<ExitCode> {
  const lost = await lostFeeders(index);
  await index.clear();
  const { runs, asked, missing } = await reconcileIndex(session.client, index, {
    ask: (runId) => session.view(runId),
  });
  if (missing.length === 0) await index.leave(lost);
  tellMissing(missing, screen);
  const document = { runs, asked, ...(missing.length === 0 ? {} : { missing }) };
  screen.answer(document, () => `${runs} runs, ${asked} of them asked`);
  return missing.length === 0 ? exitCodes.done : exitCodes.unreachable;
}
