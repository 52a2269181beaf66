import { Command } from 'commander';
import { act } from '../context.js';
import { sendDecision } from '../decide-request.js';
import { withRequest } from '../with-request.js';
import type { DecisionFlags } from './respond.js';

/** `withdraw REQUEST`: takes one human request back. */
export function withdrawCommand(): Command {
  return new Command('withdraw')
    .description('take a human request back: its procedure gets an error, which it may catch')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .option('--as <who>', 'who takes it back; else your account')
    .option('--comment <text>', 'why')
    .action(
      act((context, flags: DecisionFlags, id: string) =>
        withRequest(context, id, (session, named) =>
          sendDecision(session, context.screen, { ...named, ...flags }, { value: null, action: 'withdraw' }),
        ),
      ),
    );
}
