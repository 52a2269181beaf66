import { Command } from 'commander';
import { act } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { findPending } from '../find-pending.js';
import { requestText } from '../request-text.js';
import { withSession } from '../session.js';

/** `pending [RUN]`: open human requests. */
export function pendingCommand(): Command {
  return new Command('pending')
    .description('show what people are asked, by one run or by all')
    .argument('[run]', 'id of a run')
    .action(
      act(async (context, _flags: object, runId: string | undefined) =>
        withSession(context, async (session) => {
          await session.provideWorker({ performs: false });
          const pending = await findPending(session, runId ?? null);
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
