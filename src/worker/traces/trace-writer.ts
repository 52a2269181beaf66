import { outerPosition, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { isOver, type ToldRun } from '../../contract/runs/run-view.js';
import { spanIdAt, spanIdOf } from '../../contract/traces/trace-context.js';
import { attributes, operations, type Span, type Traces } from '../../traces/index.js';
import type { MirrorUpdate } from '../../workflows/storage/mirror.js';
import { OpenFrames, type Frame } from './open-frames.js';
import { plain, shownAs } from './checkpoint-span.js';

type TracedUpdate = MirrorUpdate & Required<Pick<MirrorUpdate, 'trace'>>;

/** An execution of a run, as the server names it. */
export interface Execution {
  id: string;
  /** When it began, in ms since 1970. */
  began: number;
  /** The one that has continued as this one; left out: it is the first. */
  before?: string | undefined;
}

interface KnownRun {
  frames: OpenFrames;
  execution: Execution;
}

/** Runs that are under way, of which is known what is open. */
const mostRuns = 10_000;

/**
 * Makes spans of what runs tell: one for each checkpoint that has ended, one for each execution of a run that continued as new, and
 * one for the run. Their ids are made of the run and the position, so that it doesn't matter which worker makes them.
 *
 * Owns: the frames of each run that have not ended, and its execution.
 * Asks: `add` to take spans.
 * Invariants:
 *  1. Each span but those of runs has a parent in the same trace, which is made too.
 *  2. What a run took over from another one has no span of this run.
 *  3. Without `showsContent`, and in runs that hide it, spans have names, codes and numbers alone.
 */
export class TraceWriter {
  private readonly runs = new Map<string, KnownRun>();

  constructor(private readonly traces: Omit<Traces, 'close'>) {}

  /** A run has changed. Returns at once. */
  tell(update: MirrorUpdate, execution: Execution): void {
    if (!isTraced(update) || !(update.trace.isSampled || this.traces.ignoresParent)) return;
    const { runId, checkpoints, run } = update;
    const known = this.knownRun(runId, execution);
    // A fork tells what it took over as well: that was done, and paid, by the run that it was forked from.
    const began = Date.parse(run.started_at);
    const own = checkpoints.filter(({ at }) => at >= began);
    const spans = own.flatMap((each) => this.spansOf(update, known.frames, each));
    if (known.execution.id !== execution.id) {
      spans.push(executionSpan(update, known.execution, execution.began));
      known.execution = execution;
    }
    if (isOver(run.status)) {
      this.runs.delete(runId);
      const end = run.closed_at === null ? Date.now() : Date.parse(run.closed_at);
      spans.push(...known.frames.end('').map((frame) => frameSpan(update, frame)));
      if (execution.before !== undefined) spans.push(executionSpan(update, execution, end));
      spans.push(runSpan(update, run, end));
    }
    if (spans.length > 0) this.traces.add(spans);
  }

  private knownRun(runId: string, execution: Execution): KnownRun {
    const known = this.runs.get(runId) ?? { frames: new OpenFrames(), execution };
    this.runs.delete(runId);
    this.runs.set(runId, known);
    const [oldest] = this.runs.keys();
    if (this.runs.size > mostRuns && oldest !== undefined) this.runs.delete(oldest);
    return known;
  }

  private spansOf(update: TracedUpdate, frames: OpenFrames, checkpoint: Checkpoint): Span[] {
    const { position, at, durationMs } = checkpoint;
    const hidesContent = update.trace.hidesContent === true;
    const span: Span = {
      ...placeOf(update, position, outerPosition(position)),
      ...shownAs(checkpoint, update.runId, this.traces.showsContent && !hidesContent),
      ...{ startMs: at - durationMs, endMs: at },
    };
    const branches = frames.end(position).map((frame) => frameSpan(update, frame));
    frames.note(outerPosition(position), { startMs: at - durationMs, endMs: at });
    return [...branches, span];
  }
}

function isTraced(update: MirrorUpdate): update is TracedUpdate {
  return update.trace !== undefined;
}

function placeOf(
  { trace }: TracedUpdate,
  position: Position,
  outer: Position,
): Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'tracestate'> {
  const { traceId, keys, tracestate } = trace;
  return {
    traceId,
    spanId: spanIdAt(keys, position),
    parentSpanId: spanIdAt(keys, outer),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}

/** What holds checkpoints and is none itself: a branch, or a step that the run's end has cut short. */
function frameSpan(update: TracedUpdate, { position, startMs, endMs }: Frame): Span {
  return {
    ...placeOf(update, position, outerPosition(position)),
    ...{ name: 'branch', kind: 'internal', startMs, endMs },
    attributes: { [attributes.run]: update.runId, [attributes.position]: position },
  };
}

function executionSpan(update: TracedUpdate, { id, began, before }: Execution, endMs: number): Span {
  return {
    ...placeOf(update, '', ''),
    spanId: executionSpanId(id),
    ...{ name: 'execution', kind: 'internal', startMs: began, endMs },
    attributes: { [attributes.run]: update.runId, [attributes.execution]: id },
    ...(before === undefined ? {} : { follows: executionSpanId(before) }),
  };
}

function executionSpanId(id: string): string {
  return spanIdOf(`execution ${id}`);
}

function runSpan(update: TracedUpdate, run: ToldRun, endMs: number): Span {
  const { parentSpanId } = update.trace;
  const procedure = plain(run.procedure);
  const { cost_usd: cost } = run.usage;
  return {
    ...placeOf(update, '', ''),
    ...{ parentSpanId, kind: 'internal', startMs: Date.parse(run.started_at), endMs },
    name: procedure === undefined ? operations.workflow : `${operations.workflow} ${procedure}`,
    attributes: {
      [attributes.operation]: operations.workflow,
      [attributes.workflow]: procedure,
      [attributes.run]: update.runId,
      [attributes.procedure]: procedure,
      [attributes.status]: run.status,
      [attributes.cost]: cost ?? undefined,
    },
    ...(run.error === null ? {} : { error: { code: run.error.code } }),
  };
}
