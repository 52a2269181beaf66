import type { Command } from 'commander';
import type { Consent, ForkOptions } from '../../client/runs/index.js';
import type { ChangePlan } from '../../contract/changes/plan.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { collectFile } from '../../sources/collect-source.js';
import { exitCodes, lastArgument, TactusError, type Context, type ExitCode } from '../command.js';
import { readValue } from '../runs/read-input.js';
import { planLines } from './plan-text.js';

/** Of many runs, progress is told after each so many. */
export const tellEvery = 100;
/** Runs that are shown one by one; the rest is counted. */
export const mostShown = 50;

/** What all commands take that make a run go another way. */
export interface ChangeFlags {
  source?: string;
  dryRun?: boolean;
  yes?: boolean;
  strict?: boolean;
}

export function withChangeFlags(command: Command): Command {
  return command
    .option('--source <file>', 'new source of the procedure (default: the source of the run)')
    .option('--dry-run', 'show the plan, and start nothing')
    .option('--yes', 'do again what may be done once only, where the plan says so')
    .option('--strict', 'refuse a source that asks for what is kept with another prompt, label or approver');
}

/** What names the checkpoint from which on a run goes another way. */
export interface PlaceFlags {
  at?: string;
  set?: string;
}

export function withPlaceFlags(command: Command): Command {
  return command
    .option(
      '--at <position>',
      'the checkpoint, as log shows it: it is asked for anew, and all that came after it',
    )
    .option(
      '--set <value>',
      'what the checkpoint has come to instead, as log shows it, or what was answered: JSON, @file or - for stdin',
    );
}

/** @throws TactusError usage, source_not_found */
export async function readPlace(
  command: string,
  runId: string | undefined,
  { at, set, source }: PlaceFlags & ChangeFlags,
): Promise<Pick<ForkOptions, 'at' | 'set' | 'source'>> {
  if (at === undefined)
    throw new TactusError(
      'usage',
      `${command} needs --at; tactus-temporal log ${runId === undefined ? 'RUN' : lastArgument(runId)} shows the positions`,
    );
  return {
    at,
    set: set === undefined ? undefined : await readValue(set, '--set'),
    source: source === undefined ? undefined : await collectFile(source),
  };
}

/** Says what of the work of people a run goes on without. */
export function noteLeftBehind({ screen }: Context, leftBehind: readonly string[]): void {
  for (const each of leftBehind) screen.note(`Left behind: ${each}.`);
}

export function consentOf({ dryRun, strict, yes }: ChangeFlags): Consent {
  return { dryRun, strict, mayRepeat: yes };
}

/** Answers a dry run. @param told the document, which has the plan in it */
export function answerPlan(
  { screen }: Context,
  told: { plan: ChangePlan; run_id: string | null },
  source: ProcedureSource | undefined,
): ExitCode {
  const { plan } = told;
  screen.answer(told, () => planLines(plan, source).join('\n'));
  return plan.diverges === null && plan.fails === null ? exitCodes.done : exitCodes.failed;
}
