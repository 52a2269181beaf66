import { continueAsNew, ContinueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Checkpoint, Outcome } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { limitsOf, newCarry, type Carry, type StartInput } from '../../contract/runs/start-input.js';
import { factsAtStart } from '../runs/run-facts.js';
import { findSource } from '../procedures/find-source.js';
import { packLog, unpackLog } from '../../log/pack.js';
import { answerQueries } from '../runs/queries.js';
import type { TactusWorkflow } from '../context.js';
import { Children, reportToParent } from './children.js';
import type { EffectContext } from './effects/context.js';
import { Gate } from './gate.js';
import { Inbox } from './inbox.js';
import { Run } from './run.js';

/** Goes on with a run that began on 0.1.0, by the commands that it began with, until it continues as new. */
export async function startOnEngine1(input: StartInput, packed: unknown): Promise<JsonValue> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const carry: Carry = input.carry ?? newCarry(workflowId, firstExecutionRunId, Date.now());
  const log: Checkpoint[] = packed === undefined ? [] : unpackLog(packed);
  let run: Run | null = null;
  const inbox = new Inbox(
    carry.ledger,
    (position) => run !== null && run.program.log.find(position) !== null,
    () => run?.show(),
    () => run?.hasNews === true,
  );
  const gate = new Gate();
  const children = new Children(workflowId, new Set(carry.children), { ...carry.childOutcomes }, gate);
  answerQueries(
    () => run?.facts() ?? factsAtStart(workflowId, input, carry, 1),
    () => run?.program.observed ?? null,
  );
  const start = await findSource(input);
  const context: EffectContext = {
    runId: workflowId,
    firstExecutionId: carry.firstExecutionId,
    source: start.source,
    start,
    limits: limitsOf(start),
    inbox,
    children,
    gate,
    deadlines: new Map(Object.entries(carry.deadlines)),
    usage: carry.usage,
  };
  run = new Run(context, carry, log);
  return await finish(run, start, context);
}

async function finish(run: Run, input: StartInput, context: EffectContext): Promise<JsonValue> {
  try {
    const ending = await run.execute();
    if (ending.kind === 'continue')
      return await continueAsNew<TactusWorkflow>({ ...input, carry: ending.carry }, packLog(ending.log));
    // Branches that were given up at the very end have told nobody.
    await context.children.cancelAll();
    await lastReport(input, context, { ok: true, value: ending.output });
    return ending.output;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (!isCancellation(error) && !(error instanceof TactusError)) throw error;
    await run.abandon();
    if (!(error instanceof TactusError)) {
      run.close('cancelled', null, null);
      await lastReport(input, context, {
        ok: false,
        code: 'cancelled',
        message: `${context.runId} was cancelled`,
      });
      throw error;
    }
    run.close('failed', null, error);
    await lastReport(input, context, { ok: false, code: error.code, message: error.message });
    throw error;
  }
}

/** The last that a run does. */
async function lastReport(
  { parent, mock }: StartInput,
  { children }: EffectContext,
  outcome: Outcome,
): Promise<void> {
  // A server that skips time for tests stands still for good where a child ends after its parent.
  if ((mock?.people ?? null) !== null) await children.allClosed();
  await reportToParent(parent, outcome);
}
