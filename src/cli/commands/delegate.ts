import { Command } from 'commander';
import { act } from '../context.js';
import { sendDecision } from '../decide-request.js';
import { withRequest } from '../with-request.js';
import type { DecisionFlags } from './respond.js';

/** `delegate REQUEST WHO`: hands one human request to somebody else. */
export function delegateCommand(): Command {
  return new Command('delegate')
    .description('hand a human request to somebody else, who decides in your place')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .argument('<who>', 'who is to decide')
    .option('--as <who>', 'who hands it on; else your account')
    .option('--comment <text>', 'a comment to whoever gets it')
    .action(
      act((context, flags: DecisionFlags, id: string, to: string) =>
        withRequest(context, id, (session, named) =>
          sendDecision(
            session,
            context.screen,
            { ...named, ...flags },
            { value: null, action: 'delegate', to },
          ),
        ),
      ),
    );
}
