import { Command } from 'commander';
import { act } from '../context.js';
import { decideRequest } from './decide-request.js';
import { readSigning, takesSigning, type DecisionFlags } from '../authority/signing-options.js';
import { withRequest } from './pending-requests.js';

/** `respond REQUEST VALUE`: decides one human request. */
export function respondCommand(): Command {
  const command = new Command('respond')
    .description('decide a human request')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .argument('<value>', 'y or n for an approval, text, or JSON')
    .option('--as <who>', 'name of the person who decides (default: your account)')
    .option('--comment <text>', 'comment on the decision')
    .option(
      '--early',
      "keep the decision where the request isn't open yet, though nobody has seen what it asks",
    );
  return takesSigning(command).action(
    act(
      (
        context,
        { early = false, ...flags }: DecisionFlags & { early?: boolean },
        id: string,
        value: string,
      ) => {
        const signing = readSigning(flags);
        return withRequest(context, id, (session, named) =>
          decideRequest(session, context.screen, { ...named, ...signing, value, early }),
        );
      },
    ),
  );
}
