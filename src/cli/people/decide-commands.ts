import { Command } from 'commander';
import {
  act,
  answerDryRun,
  exitCodes,
  type ExitCode,
  TactusError,
  ownCommand,
  type Screen,
  lastArgument,
  withDryRun,
  type DryRunFlag,
} from '../command.js';
import { withSession, type Session } from '../session.js';
import {
  accountName,
  readSigning,
  takesSigning,
  type DecisionFlags,
  type Signing,
} from '../authority/signing-options.js';
import { findPending, requestText, tellMissing, withRequest } from './requests.js';
import { answerValue } from './answer-value.js';
import { signDecision } from '../../authority/signed-decisions.js';
import type { Decision, Verdict } from '../../contract/people/decision.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { defined, type JsonValue } from '../../contract/json/json.js';

/** `respond REQUEST VALUE`: decides one human request. */
export function respondCommand(): Command {
  const command = withDryRun(new Command('respond'))
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
        { early = false, dryRun, ...flags }: DecisionFlags & DryRunFlag & { early?: boolean },
        id: string,
        value: string,
      ) => {
        const signing = readSigning(flags);
        return withRequest(context, id, (session, named) =>
          decideRequest(session, context.screen, {
            ...named,
            ...signing,
            ...defined({ dryRun }),
            value,
            early,
          }),
        );
      },
    ),
  );
}

/** `delegate REQUEST WHO`: hands one human request to somebody else. */
export function delegateCommand(): Command {
  const command = withDryRun(new Command('delegate'))
    .description('delegate a human request to another person')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .argument('<who>', 'name of the new approver')
    .option('--as <who>', 'name of the person who delegates (default: your account)')
    .option('--comment <text>', 'comment for the new approver');
  return takesSigning(command).action(
    act((context, { dryRun, ...flags }: DecisionFlags & DryRunFlag, id: string, to: string) => {
      const given = readSigning(flags);
      const what = { value: null, action: 'delegate', to } as const;
      return withRequest(context, id, (session, named) =>
        sendDecision(session, context.screen, { ...named, ...given, ...defined({ dryRun }) }, what),
      );
    }),
  );
}

/** `withdraw REQUEST`: takes one human request back. */
export function withdrawCommand(): Command {
  const command = withDryRun(new Command('withdraw'))
    .description('withdraw a human request; its procedure gets an error that it can catch')
    .argument('<request>', 'id of the request, as `pending` shows it')
    .option('--as <who>', 'name of the person who withdraws (default: your account)')
    .option('--comment <text>', 'why');
  return takesSigning(command).action(
    act((context, { dryRun, ...flags }: DecisionFlags & DryRunFlag, id: string) => {
      const given = readSigning(flags);
      const what = { value: null, action: 'withdraw' } as const;
      return withRequest(context, id, (session, named) =>
        sendDecision(session, context.screen, { ...named, ...given, ...defined({ dryRun }) }, what),
      );
    }),
  );
}

interface ControlFlags extends DryRunFlag {
  respond: string;
  as?: string;
  comment?: string;
}

/** `control --respond y|n|TEXT`: decides the only open request, or the newest. */
export function controlCommand(): Command {
  return withDryRun(new Command('control'))
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

interface GivenDecision extends Signing, DryRunFlag {
  id: string;
  runId: string;
  /** null where no such request is open: the run says what has become of it. */
  request: HumanRequest | null;
  /** As typed. */
  value: string;
  /** It is kept where the request isn't open yet. */
  early?: boolean;
}

const settled = ['accepted', 'duplicate', 'early', 'verifying'];

/** Decides a request, bound to what it showed just now, and says what became of the decision. */
function decideRequest(session: Session, screen: Screen, given: GivenDecision): Promise<ExitCode> {
  const value = readValue(given);
  if (value instanceof TactusError)
    return Promise.resolve(
      printVerdict(screen, given.runId, { id: given.id, outcome: 'invalid', message: value.message }),
    );
  return sendDecision(session, screen, given, { value });
}

/** Sends a decision, bound to what its request showed just now, and says what became of it. */
async function sendDecision(
  session: Session,
  screen: Screen,
  given: Omit<GivenDecision, 'value'>,
  what: Pick<Decision, 'value' | 'action' | 'to'>,
): Promise<ExitCode> {
  const { id, runId, request, as, comment, early = false, dryRun = false } = given;
  const decision: Decision = {
    request: id,
    ...what,
    by: as ?? accountName(),
    ...defined({ comment }),
    ...(request === null ? {} : { digest: request.digest }),
    // Runs of older engines and workers don't know the word: it is said only where it matters.
    ...(early && request === null ? { early } : {}),
  };
  const order = signed(session, given, decision);
  if (dryRun) {
    if (request === null && !early)
      throw new TactusError(
        'request_unknown',
        `${id} isn't open: pending ${lastArgument(runId)} shows what is`,
      );
    return answerDryRun({ screen }, wouldText(decision), { run_id: runId, decision });
  }
  return printVerdict(screen, runId, await session.decide(runId, order));
}

function wouldText({ request, action, value, to, by }: Decision): string {
  if (action === 'delegate') return `delegate ${request} to ${to} as ${by}`;
  if (action === 'withdraw') return `withdraw ${request} as ${by}`;
  return `decide ${request} as ${by}: ${JSON.stringify(value)}`;
}

/** @throws TactusError request_unknown where nobody knows what a person would sign */
function signed(
  session: Session,
  { id, request, key, validMs }: Omit<GivenDecision, 'value'>,
  decision: Decision,
): Decision {
  if (key === undefined) return decision;
  if (request === null)
    throw new TactusError('request_unknown', `${id} isn't open: what it shows is part of what is signed`);
  const { namespace } = session.client.options;
  return signDecision(decision, { namespace, key, ...defined({ validMs }) });
}

/** The value that was typed, or why it can't be one. */
function readValue({ request, value }: GivenDecision): JsonValue | TactusError {
  try {
    return answerValue(request, value);
  } catch (error) {
    if (error instanceof TactusError) return error;
    throw error;
  }
}

function printVerdict(screen: Screen, runId: string, verdict: Verdict): ExitCode {
  const isSettled = settled.includes(verdict.outcome);
  if (!isSettled) screen.warn(`${verdict.outcome}: ${verdict.message}`);
  screen.answer(verdict, () => (isSettled ? `${verdict.outcome} ${verdict.id}: ${verdict.message}` : ''));
  if (isSettled)
    screen.note(screen.paint.dim(`To follow the run: ${ownCommand(`resume ${lastArgument(runId)}`)}`));
  return isSettled ? exitCodes.done : exitCodes.refused;
}
