import { Command } from 'commander';
import { act } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { findPending, tellMissing, type FoundRequests } from '../find-pending.js';
import { openRequests } from '../open-requests.js';
import { requestText } from '../request-text.js';
import { withSession, type Session } from '../session.js';

/** `pending [RUN]`: open human requests of all runs, or of one and the runs that it waits for. */
export function pendingCommand(): Command {
  return new Command('pending')
    .description('show what people are asked, by one run or by all')
    .argument('[run]', 'id of a run')
    .action(
      act(async (context, _flags: object, runId: string | undefined) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const { pending, missing } = await (runId === undefined
            ? findPending(session, screen)
            : requestsOf(session, runId));
          tellMissing(missing, screen);
          screen.answer({ pending, ...(missing.length === 0 ? {} : { missing }) }, () =>
            pending.length === 0
              ? `nothing is asked${missing.length === 0 ? '' : ' by the runs that answer'}`
              : pending.map((request) => requestText(request, { how: true })).join('\n\n'),
          );
          return missing.length === 0 ? exitCodes.done : exitCodes.unreachable;
        }),
      ),
    );
}

async function requestsOf(session: Session, runId: string): Promise<FoundRequests> {
  const { requests, missing } = await openRequests(session, await session.view(runId));
  return { pending: requests, missing };
}
