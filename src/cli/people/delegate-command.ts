import { Command } from 'commander';
import { act } from '../context.js';
import { sendDecision } from './decide-request.js';
import { readSigning, takesSigning, type DecisionFlags } from '../authority/signing-options.js';
import { withRequest } from './pending-requests.js';

/** `delegate REQUEST WHO`: hands one human request to somebody else. */
export function delegateCommand(): Command {
  const command = new Command('delegate')
    .description('hand a human request to somebody else, who decides in your place')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .argument('<who>', 'who is to decide')
    .option('--as <who>', 'who hands it on; else your account')
    .option('--comment <text>', 'a comment to whoever gets it');
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
