import { Command } from 'commander';
import type { HumanRequest } from '../../contract/human-request.js';
import { act } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { findPending } from '../find-pending.js';
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
          await session.provideWorker({ performs: false });
          const pending = await (runId === undefined
            ? findPending(session, context.screen)
            : requestsOf(session, runId));
          context.screen.answer({ pending }, () =>
            pending.length === 0
              ? 'nothing is asked'
              : pending.map((request) => requestText(request, { how: true })).join('\n\n'),
          );
          return exitCodes.done;
        }),
      ),
    );
}

async function requestsOf(session: Session, runId: string): Promise<HumanRequest[]> {
  return (await openRequests(session, await session.view(runId))).requests;
}
