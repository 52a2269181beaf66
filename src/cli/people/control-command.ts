import { Command } from 'commander';
import { TactusError } from '../../contract/errors.js';
import { act } from '../context.js';
import { decideRequest } from './decide-request.js';
import { findPending, tellMissing } from './pending-requests.js';
import { requestText } from './request-text.js';
import { withSession } from '../session.js';
import { ownCommand } from '../terminal/own-command.js';

interface ControlFlags {
  respond: string;
  as?: string;
  comment?: string;
}

/** `control --respond y|n|TEXT`: decides the only open request, or the newest. */
export function controlCommand(): Command {
  return new Command('control')
    .description('decide the only open human request, or the newest')
    .requiredOption('--respond <y|n|text>', 'the answer')
    .option('--as <who>', 'name of the person who decides (default: your account)')
    .option('--comment <text>', 'comment on the decision')
    .action(
      act(async (context, { respond, ...flags }: ControlFlags) =>
        withSession(context, async (session) => {
          const { pending, missing } = await findPending(session, context.screen);
          tellMissing(missing, context.screen);
          const request = pending.at(-1);
          if (request === undefined)
            throw new TactusError('request_unknown', 'No run asks anything of people now');
          context.screen.note(requestText(request, { how: false }));
          if (pending.length > 1)
            context.screen.note(
              `It is the newest of ${pending.length}; the others: ${ownCommand('pending')}`,
            );
          return decideRequest(session, context.screen, {
            id: request.id,
            runId: request.run_id,
            request,
            value: respond,
            ...flags,
          });
        }),
      ),
    );
}
