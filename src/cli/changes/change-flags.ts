import type { Command } from 'commander';
import type { Consent } from '../../client/runs/index.js';
import type { ChangePlan } from '../../contract/changes/plan.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { exitCodes, type Context, type ExitCode } from '../command.js';
import { planLines } from './plan-text.js';

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
