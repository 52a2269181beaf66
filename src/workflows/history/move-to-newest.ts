import { patched, workflowInfo } from '@temporalio/workflow';
import { newestEngine, patchOf } from '../../contract/engine.js';
import { limitsOf, type StartInput } from '../../contract/runs/start-input.js';
import { unpackCarried, type CarriedLog } from '../../log/pack.js';
import { optionsOfStart, Program } from '../../lua-bridge/index.js';

/** The log of engine 2 says of conversations what engine 3 reads differently. */
const oldestMoved = 3;
/** Slices of Lua that a trial may take: the workflow task goes on beside it, and has more to do. */
const mostSlices = 2;

/**
 * Gives the engine of an execution that continues a run as new: the newest, where the run's log means the same to it as to
 * the engine before; else that of the execution before. So a run of years has the mended behaviour at some time, and never
 * in the middle of an execution.
 *
 * The log means the same where a replay of it on both engines asks for the same effects in the same order, with the same
 * digests, prints the same, and waits for the same at its end. A run stays where that can't be seen: where its replay takes
 * long, where it waits for its own source, and where decisions wait for requests that are yet to be made.
 *
 * Asked before anything else, by `patched`, so that a replay by a later version comes to the same engine.
 */
export function engineOfNext(input: StartInput, packed: unknown, before: number): number {
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  if (!isContinued || before < oldestMoved) return before;
  for (let engine = newestEngine; engine > before; engine--)
    if (patched(patchOf(engine))) return meansTheSame(input, packed, before, engine) ? engine : before;
  return before;
}

function meansTheSame(input: StartInput, packed: unknown, before: number, engine: number): boolean {
  const log: CarriedLog = packed === undefined ? { entries: [] } : unpackCarried(packed);
  if (log.answers !== undefined || (input.carry?.ledger.early.length ?? 0) > 0) return false;
  const [old, next] = [before, engine].map((each) => trial(input, log, each));
  return old !== null && old === next;
}

/** What a replay of the log asks for and shows, as text to be compared; null where it fails, ends or takes long. */
function trial(input: StartInput, { entries: carried }: CarriedLog, engine: number): string | null {
  const { carry, source } = input;
  if (carry === undefined || source === undefined) return null;
  const asked: unknown[] = [];
  const program = new Program({
    ...optionsOfStart({ ...input, source }, carry),
    ...{ runId: carry.ledger.runId, limits: limitsOf(input), carried, engine },
    onAsked: ({ position, type, name, digest }) => asked.push([position, type, name, digest]),
  });
  let turn = program.turn();
  for (let slices = 0; turn.kind === 'slice'; turn = program.turn()) if (++slices > mostSlices) return null;
  if (turn.kind !== 'blocked') return null;
  const waits = turn.asked.map(({ position, effect }) => [position, effect]);
  return JSON.stringify([asked, waits, program.shown, program.state(), program.observed]);
}
