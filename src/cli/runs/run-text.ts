import {
  describeRun,
  endOf,
  stuckText,
  type EndedCall,
  type Retrying,
  type RunReport,
  type Stuck,
  type TactusRun,
  type Unserved,
} from '../../client/index.js';
import { forkText } from '../../contract/changes/forked-from.js';
import { holdText } from '../../contract/changes/hold.js';
import { pauseText } from '../../contract/changes/pause.js';
import { cancellingText } from '../../contract/runs/cancelling.js';
import { labelItems } from '../../contract/runs/labels.js';
import type { RunView } from '../../contract/runs/run-view.js';
import { usageTexts } from '../../contract/models/model-call.js';
import { jsonText, ownCommand, placeText, type Screen } from '../command.js';
import { versionText } from '../../contract/procedures/published.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import { pythonQueueOf } from '../../contract/predictions/served-model.js';
import { attemptText } from '../../contract/retries/retry-policy.js';

/** A run's output as people read it: a text as it is, everything else as JSON. */
export function outputText({ status, output }: RunView): string {
  if (status !== 'completed') return '';
  return typeof output === 'string' ? output : jsonText(output, 2);
}

/** One line about how a run stands. */
export function summaryText(view: RunView, { paint }: Screen): string {
  const {
    status,
    run_id,
    checkpoints,
    pass,
    usage,
    published,
    forked_from: fork,
    labels = {},
    variants = {},
    started_at,
    closed_at,
  } = view;
  const name = status.replaceAll('_', ' ');
  const colored =
    status === 'completed' ? paint.green(name) : view.error === null ? paint.cyan(name) : paint.red(name);
  const parts = [
    `${checkpoints} checkpoint${checkpoints === 1 ? '' : 's'}`,
    ...(pass === undefined || pass.number === 0 ? [] : [`pass ${pass.number + 1}`]),
    ...usageTexts(usage),
    ...(published === undefined ? [] : [versionText(published)]),
    ...(fork === undefined ? [] : [forkText(fork)]),
    ...labelItems(labels),
    ...labelItems(variants),
  ];
  if (closed_at !== null)
    parts.push(`${((Date.parse(closed_at) - Date.parse(started_at)) / 1_000).toFixed(1)} s`);
  return `${colored} ${run_id} ${paint.dim(`· ${parts.join(' · ')}`)}`;
}

/** Why a run failed, with the Lua line and traceback. */
export function errorText({ error }: RunView, { paint }: Screen): string {
  if (error === null) return '';
  const { code, message, traceback } = error;
  return [
    `${paint.red(code)} ${message}${placeText(error)}`,
    ...(traceback === null ? [] : [paint.dim(traceback)]),
  ].join('\n');
}

/** What was said to agents of which none has heard it: `said to writer by ann, not heard yet: In French`. */
export function unheardTexts({ unheard = [], closed_at }: RunView): string[] {
  return unheard.map(({ message, agent, by }) => {
    const to = agent ?? 'whoever asks a model next';
    const yet = closed_at === null ? 'not heard yet' : 'never heard';
    return `said to ${to}${by === undefined ? '' : ` by ${by}`}, ${yet}: ${message}`;
  });
}

/** What can't be told of a run, and why. */
export function incompleteText({ incomplete }: RunReport, { paint }: Screen): string {
  return incomplete === undefined ? '' : `${paint.yellow('incomplete')} ${incomplete}`;
}

/** What `start` and `run --detach` answer: the document, and its text. */
export async function startedText(run: TactusRun, source: ProcedureSource): Promise<[object, () => string]> {
  const status = endOf((await describeRun(run)).status.name) ?? 'running';
  return [{ run_id: run.runId, procedure: procedureName(source), status }, () => run.runId];
}

/** A worker that is just being replaced gets so long. */
const patienceMs = 60_000;

/** Tells, while a run is followed, that it or one below it is stuck: once for each failure. */
export class StuckWatch {
  private readonly told = new Set<string>();
  private firstSeen: number | null = null;

  constructor(private readonly screen: Screen) {}

  /** True where it has lasted for so long that only somebody who looks on would wait any longer. */
  look(stuck: ReadonlyMap<string, Stuck>): boolean {
    if (stuck.size === 0) {
      this.firstSeen = null;
      return false;
    }
    this.firstSeen ??= Date.now();
    for (const [runId, fault] of stuck) {
      const key = `${runId}\n${fault.since}\n${fault.message}`;
      if (!this.told.has(key)) this.screen.warn(`The run ${runId} is stuck ${stuckText(fault)}.`);
      this.told.add(key);
    }
    return !this.screen.isInteractive && Date.now() - this.firstSeen > patienceMs;
  }
}

/**
 * Tells, while a run is followed, that a call of it or of one below it has failed and is tried again, each attempt once; and
 * how that ended.
 */
export class RetryWatch {
  private readonly told = new Set<string>();
  private open = new Map<string, Retrying>();

  /** @param endOf how a call ended, by the id of its run and its own; null where that isn't known */
  constructor(
    private readonly screen: Screen,
    private readonly endOf: (runId: string, callId: string) => Promise<EndedCall | null>,
  ) {}

  /** `calls`: what is being tried again now; none where the run has ended. */
  async look(calls: readonly Retrying[], now = Date.now()): Promise<void> {
    const ids = new Set(calls.map(({ id }) => id));
    for (const [id, call] of this.open) if (!ids.has(id)) await this.tellEnd(call);
    for (const call of calls) {
      const key = `${call.id}\n${call.attempt}\n${call.message}`;
      if (!this.told.has(key)) this.screen.note(this.screen.paint.yellow(retryText(call, now)));
      this.told.add(key);
    }
    this.open = new Map(calls.map((call) => [call.id, call]));
  }

  private async tellEnd(call: Retrying): Promise<void> {
    const at = call.id.lastIndexOf(' ');
    const ended = await this.endOf(call.id.slice(0, at), call.id.slice(at + 1)).catch(() => null);
    this.screen.note(this.screen.paint.dim(endText(call, ended)));
  }
}

/** One line; `now`: in ms since 1970. */
export function retryText({ attempt, attempts, message, next_at }: Retrying, now: number): string {
  const waitMs = next_at === null ? 0 : Date.parse(next_at) - now;
  const when = waitMs > 0 ? ` in ${Math.ceil(waitMs / 1_000)} s` : '';
  return `Trying again${when} (${attemptText(attempt, attempts)}): ${message}`;
}

/** One line, which ends those. */
function endText({ attempts, message }: Retrying, ended: EndedCall | null): string {
  if (ended === null) return `No longer trying again: ${message}`;
  const attempt = attemptText(ended.attempt, attempts);
  if (ended.outcome === 'completed') return `Trying again has succeeded (${attempt}); before: ${message}`;
  if (ended.outcome === 'cancelled') return `No longer trying again, as the call was cancelled: ${message}`;
  return `Trying again has failed (${attempt}), and ends: ${message}`;
}

/** Tells, while a run is followed, that it waits for a task queue that nobody serves: once for each call. */
export class UnservedWatch {
  private readonly told = new Set<string>();

  constructor(private readonly screen: Screen) {}

  look(calls: readonly Unserved[]): void {
    for (const call of calls) {
      if (!this.told.has(call.id)) this.screen.warn(unservedText(call));
      this.told.add(call.id);
    }
  }
}

/** One line. */
export function unservedText({ task_queue, since }: Unserved): string {
  const start = task_queue.endsWith(pythonQueueOf(''))
    ? `start one by ${ownCommand('worker --python')}`
    : 'start one that has it in model_queues or tool_queues, or by createModelWorker';
  return `No worker serves the task queue ${task_queue}, for which a call waits since ${since}: ${start}`;
}

/** Who waits for a call is told so after these times, in seconds; after that each quarter of an hour. */
const tellAfter = [15, 60, 300];
const tellEvery = 900;

/** Tells, while a run is followed, that it is paused, held or cancelling, once, or waits for an answer of something outside which doesn't come. */
export class WaitWatch {
  /** When it is told next, in seconds of waiting, by position and beginning. */
  private readonly next = new Map<string, number>();
  /** Since when it is paused, as it was told; null: it isn't. */
  private pause: string | null = null;
  private isCancelling = false;
  /** What is held of it, as it was told. */
  private holds: ReadonlySet<string> = new Set();

  constructor(private readonly screen: Screen) {}

  look(view: Pick<RunView, 'waits' | 'paused' | 'held' | 'cancelling'>, now = Date.now()): void {
    const { waits, paused, held = [], cancelling } = view;
    if (paused !== undefined && paused.since !== this.pause)
      this.screen.warn(`The run is ${pauseText(paused)}.`);
    this.pause = paused?.since ?? null;
    if (cancelling !== undefined && !this.isCancelling)
      this.screen.warn(`The run is ${cancellingText(cancelling)}.`);
    this.isCancelling = cancelling !== undefined;
    for (const hold of held.filter(({ target }) => !this.holds.has(target)))
      this.screen.warn(`${holdText(hold)}.`);
    this.holds = new Set(held.map(({ target }) => target));
    for (const { kind, name, position, since, held } of waits) {
      if (kind !== 'activity' || held === true) continue;
      const key = `${position} ${since}`;
      const seconds = Math.floor((now - Date.parse(since)) / 1_000);
      if (seconds < (this.next.get(key) ?? tellAfter[0] ?? 0)) continue;
      this.next.set(key, tellAfter.find((each) => each > seconds) ?? seconds + tellEvery);
      this.screen.note(this.screen.paint.dim(`Still waiting for ${name}, for ${seconds} s now`));
    }
  }
}
