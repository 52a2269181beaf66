import { Command } from 'commander';
import { act } from '../context.js';
import { sendDecision } from './decide-request.js';
import { readSigning, takesSigning, type DecisionFlags } from '../authority/signing-options.js';
import { withRequest } from './pending-requests.js';

/** `delegate REQUEST WHO`: hands one human request to somebody else. */
export function delegateCommand(): Command {
  const command = new Command('delegate')
    .description('delegate a human request to another person')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .argument('<who>', 'name of the new approver')
    .option('--as <who>', 'name of the person who delegates (default: your account)')
    .option('--comment <text>', 'comment for the new approver');
  return takesSigning(command).action(
    act((context, flags: DecisionFlags, id: string, to: string) => {
      const given = readSigning(flags);
      const what = { value: null, action: 'delegate', to } as const;
      return withRequest(context, id, (session, named) =>
        sendDecision(session, context.screen, { ...named, ...given }, what),
      );
    }),
  );
}
