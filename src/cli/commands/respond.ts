import { Command } from 'commander';
import { runIdOf } from '../../client/tactus-client.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/human-request.js';
import { act } from '../context.js';
import { decideRequest } from '../decide-request.js';
import { pendingOf } from '../find-pending.js';
import { withSession } from '../session.js';

interface RespondFlags {
  as?: string;
  comment?: string;
}

/** `respond REQUEST VALUE`: decides one human request. */
export function respondCommand(): Command {
  return new Command('respond')
    .description('decide a human request')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .argument('<value>', 'y or n for an approval, else the text; JSON for more than a text')
    .option('--as <who>', 'who decides; else your account')
    .option('--comment <text>', 'a comment to the decision')
    .action(
      act(async (context, flags: RespondFlags, id: string, value: string) => {
        const runId = runIdOf(id);
        if (runId === '' || runId === id)
          throw new TactusError(
            'request_unknown',
            `${JSON.stringify(id)} is no id of a request: they look like RUN/3; see: tactus-temporal pending`,
          );
        return withSession(context, async (session) => {
          const pending = await pendingOf(session, runId).catch(noRun);
          const request = pending.find((each) => each.id === id) ?? null;
          return decideRequest(session, context.screen, { id, runId, request, value, ...flags });
        });
      }),
    );
}

/** A run that isn't there has no requests; that the decision says too. */
function noRun(error: unknown): HumanRequest[] {
  if (error instanceof TactusError && error.code === 'run_not_found') return [];
  throw error;
}
