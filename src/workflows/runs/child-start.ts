import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  log,
  ParentClosePolicy,
  setHandler,
  startChild,
  workflowInfo,
  type ChildWorkflowHandle,
  type Workflow,
} from '@temporalio/workflow';
import type { WrittenCode } from '../../contract/tools/code-review.js';
import type { AnewPart } from '../../contract/changes/run-change.js';
import type { Budget, CallCeiling } from '../../contract/budgets/budget.js';
import { TactusError } from '../../contract/errors.js';
import { signalNames, workflowType } from '../../contract/names.js';
import { defined, getOwn, jsonSize, type JsonValue } from '../../contract/json/json.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import type { Labels } from '../../contract/runs/labels.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import { isOutcome, type Outcome, type Position } from '../../contract/checkpoints/checkpoint.js';
import { childTrace } from '../traces/run-trace.js';
import type { Sequence } from '../sequence.js';
import type { RunUsage } from '../../contract/models/model-call.js';

/** What of a run its children are given. */
interface Parent {
  runId: string;
  /** Left out by engine 1. */
  labels?: () => Labels | undefined;
  firstExecutionId: string;
  /** Left out by engine 1. */
  anew?: readonly AnewPart[];
  start: StartInput & { source: ProcedureSource };
}

/** Another file that is to run. */
interface AskedRun {
  file: string;
  input: JsonValue;
  /** What it may use; left out: what it likes. */
  budget?: Budget;
  /** The ceiling on its calls of models; left out: that of the parent's settings, for itself. */
  ceiling?: CallCeiling;
  /** What a model wrote, that is to run as this file over what the parent's file declares. */
  code?: WrittenCode;
}

/**
 * What a child run of another file is started with. `call`: what the author called, for errors. `deadline`: when
 * it is to have ended, in ms since 1970.
 * @throws TactusError child_failed where the file doesn't travel with the run, payload_too_large
 */
export function childStart(
  run: Parent,
  position: string,
  call: string,
  { file, input, budget, ceiling, code }: AskedRun,
  deadline?: number,
): StartInput {
  const { runId, labels, start: parent } = run;
  const source =
    code === undefined ? childSource(parent.source, call, file) : withFile(parent.source, file, code.text);
  const { folder, limits, searchAttributes, mock } = parent;
  const settings = settingsOf(parent.settings, budget, ceiling);
  const start: StartInput = {
    input,
    ...defined({ folder, limits, settings, searchAttributes, labels: labels?.(), mock }),
    ...(code === undefined ? {} : { code: { agent: code.agent, file } }),
    parent: {
      ...{ runId, position },
      ...(ceiling === undefined ? {} : { calls: callsOf(ceiling) }),
      ...defined({ deadline }),
    },
    source,
  };
  const bytes = jsonSize(start);
  if (bytes > maxInlineBytes)
    throw new TactusError(
      'payload_too_large',
      `${call}: the source and the input of ${file} have ${bytes} bytes, more than the ${maxInlineBytes} that can be sent`,
    );
  // Beside what counts: the same start fits whether it has a trace or not.
  const trace = childTrace(parent, run, position);
  return { ...start, parent: { ...start.parent, runId, position, trace } };
}

/** What may be used is the child's own: of its parent's budget it has what it was given. */
function settingsOf(
  settings: RunSettings | undefined,
  budget: Budget | undefined,
  ceiling: CallCeiling | undefined,
): RunSettings | undefined {
  const modelCalls = settings?.modelCalls === undefined ? undefined : ceiling?.limit;
  return budget === undefined && modelCalls === undefined
    ? settings
    : { ...settings, ...defined({ budget, modelCalls }) };
}

/** What counts before the child's own calls. */
function callsOf({ used, refusal }: CallCeiling): Pick<CallCeiling, 'used' | 'refusal'> {
  return { used, ...defined({ refusal }) };
}

/** What was written travels as a file of its own. */
function withFile({ entry, files }: ProcedureSource, file: string, text: string): ProcedureSource {
  return { entry, files: { ...files, [file]: text } };
}

function childSource(source: ProcedureSource, call: string, file: string): ProcedureSource {
  const folder = source.entry.slice(0, source.entry.lastIndexOf('/') + 1);
  const path = file.replace(/^\.\//, '');
  const candidates = [folder + path, path, `${folder}${path}.tac`, `${path}.tac`];
  const entry = candidates.find((each) => getOwn(source.files, each) !== undefined);
  if (entry === undefined)
    throw new TactusError(
      'child_failed',
      `${call}: there is no file ${file} with this run; its name must stand in the procedure in full, as "child.tac"`,
    );
  return { entry, files: source.files };
}

/** Starts a child as a workflow that outlives this execution. */
export function launchChild(workflowId: string, start: StartInput): Promise<ChildWorkflowHandle<Workflow>> {
  const parentClosePolicy = ParentClosePolicy.ABANDON;
  const procedure = start.source === undefined ? '' : procedureName(start.source);
  const shown = { staticSummary: procedure, memo: { procedure } };
  return CancellationScope.nonCancellable(() =>
    startChild(workflowType, { args: [start], workflowId, parentClosePolicy, ...shown }),
  );
}

/** What starting a child puts into a workflow task: all files travel with it. */
export function childStartBytes(
  { start }: { start: StartInput & { source: ProcedureSource } },
  { input, code }: Pick<AskedRun, 'input' | 'code'>,
): number {
  const source = jsonSize(start.source);
  return source + jsonSize(input) + (code?.text.length ?? 0);
}

/** How a child run has ended, as it tells the run that waits for it. */
export interface ChildClosed {
  position: Position;
  outcome: Outcome;
  /** What it has used, with the runs that it started; older versions tell nothing of it. */
  usage?: RunUsage;
  /** The first execution of the child: a run that was reset has others at the same place. Older versions leave it out. */
  execution?: string;
}

const childClosed = defineSignal<[unknown]>(signalNames.childClosed);
const knock = defineSignal(signalNames.knock);

/** How a child has ended that makes no report. */
export const goneOutcome: Outcome = {
  ok: false,
  code: 'child_failed',
  message: 'it was terminated or has timed out',
};

/** Whoever can signal a run can send anything: what is no report must not stop it. */
function isChildClosed(closed: unknown): closed is ChildClosed {
  if (typeof closed !== 'object' || closed === null) return false;
  const { position, outcome } = closed as Partial<ChildClosed>;
  return typeof position === 'string' && isOutcome(outcome);
}

/** Hears the reports of children, in the order of history. */
export function listenForReports(sequence: Sequence, noteReport: (report: ChildClosed) => void): void {
  setHandler(childClosed, (closed: unknown) => {
    if (isChildClosed(closed)) sequence.add(() => noteReport(closed), { lasts: true });
    else log.warn('A signal is no report of a child run and was ignored');
  });
  // Only to be heard: engine 1 finds out by it whether a child is still there.
  setHandler(knock, () => undefined);
}

/** Tells the run that waits for this one how it ended. It may be gone by now. */
export async function reportToParent(
  parent: StartInput['parent'],
  outcome: Outcome,
  usage: RunUsage,
): Promise<void> {
  if (parent === undefined) return;
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.runId).signal(childClosed, {
        position: parent.position,
        outcome,
        usage,
        execution: workflowInfo().firstExecutionRunId,
      }),
    );
  } catch {
    // The parent has closed: nobody waits for the report.
  }
}

/** A child run of whose end the procedure hasn't been told. */
export interface Child {
  /** The server has confirmed that it has begun. */
  hasBegun: boolean;
  /** This execution has started it: the server tells of its end. */
  isOwn: boolean;
  /** Cancelled before it had begun. */
  isUnwanted: boolean;
  outcome: Outcome | null;
  /** Its first execution; null: it isn't known. */
  execution: string | null;
  /** What was reported before it is known which child it is. */
  reports: ChildClosed[];
}

export function newChild(known: Pick<Child, 'hasBegun' | 'isOwn' | 'outcome'>): Child {
  return { ...known, isUnwanted: false, execution: null, reports: [] };
}
