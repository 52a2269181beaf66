import { Command } from 'commander';
import { act } from '../context.js';
import { sendDecision } from './decide-request.js';
import { readSigning, takesSigning, type DecisionFlags } from '../authority/signing-options.js';
import { withRequest } from './pending-requests.js';

/** `withdraw REQUEST`: takes one human request back. */
export function withdrawCommand(): Command {
  const command = new Command('withdraw')
    .description('withdraw a human request; its procedure gets an error that it can catch')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .option('--as <who>', 'name of the person who withdraws (default: your account)')
    .option('--comment <text>', 'why');
  return takesSigning(command).action(
    act((context, flags: DecisionFlags, id: string) => {
      const given = readSigning(flags);
      const what = { value: null, action: 'withdraw' } as const;
      return withRequest(context, id, (session, named) =>
        sendDecision(session, context.screen, { ...named, ...given }, what),
      );
    }),
  );
}
