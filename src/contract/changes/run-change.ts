import { isOutcome, type Outcome, type Position } from '../checkpoints/checkpoint.js';
import type { Spent } from '../models/model-call.js';
import { isSource, type ProcedureSource } from '../procedures/source.js';
import type { AskedAgain, ChangedSettings, Divergence, RequestFate } from './proof.js';
import type { WaitKind } from '../effects/effects.js';
import type { RunError } from '../errors.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';

/** Waits of a run that go on when another execution takes it over. What a worker does is held then, and asked for anew. */
export const lastingWaits: ReadonlySet<WaitKind> = new Set(['human', 'time', 'child', 'event']);

/** What is sent to a run that is to go on with another source: the argument of the Update `upgrade`. */
export interface RunChange extends Terms {
  source: ProcedureSource;
  /** Who asks for it, for the run's record; left out: nobody is named. */
  by?: string;
}

/** What whoever changes a run agrees to, beside what always fits. */
export interface Terms {
  /** An open request, timer or child run may be another one in the new source, or be gone. Left out: that is a divergence. */
  mayAskAnew?: boolean;
  /** What is kept must have been asked for just as the source asks for it now; left out: a prompt, a label or an approver may differ. */
  strict?: boolean;
  /** Settings that may differ where it is strict, as authors write them: `system_prompt`. */
  accept?: string[];
}

/** What the run itself knows of its change; the answer to the query `change`. */
export interface WaitingChange {
  change: Pick<RunChange, 'source' | 'mayAskAnew'>;
  /** Checkpoints that the log loses with it; left out: none. */
  gone?: Position[];
  /** What was used for others, and hasn't been counted yet. */
  spent: Spent[];
  /** Positions of what is open, and goes on when another execution takes over. */
  open: Position[];
}

/** What became of a change: the answer to the Update. */
export interface ChangeVerdict {
  /** `ended`: the run has ended meanwhile; `busy`: another execution has begun, which is to be asked. */
  verdict: 'fits' | 'diverges' | 'failed' | 'ended' | 'busy';
  /** The run goes on with the new source. */
  moved: boolean;
  /** Why it wasn't moved; null where it was. */
  message: string | null;
  /** How many checkpoints are kept. */
  kept: number;
  diverges: Divergence | null;
  failed: RunError | null;
  changed: ChangedSettings[];
  /** Of what was open in the run, by its position. */
  open: Record<string, RequestFate>;
}

/** How a run was made to go another way. */
export type ChangeKind = 'upgrade' | 'rewind' | 'retry' | 'fork';

/** One change that a run has gone through. Stays with it: `changes` of its status. */
export interface ChangeRecord {
  kind: ChangeKind;
  /** The checkpoint that it went back to, or that had failed; left out of an upgrade, and where none had. */
  position?: Position;
  /** The run that it has its log from, where that is another one. */
  run?: string;
  /** ISO 8601. */
  at: string;
  /** null: nobody was named. */
  by: string | null;
  /** Digests of the source before and after: `sha256:…`, as in the run's memo. */
  from: string;
  to: string;
  /** So many checkpoints were answered by sources before: those with a smaller number in the log. */
  kept: number;
  /** Kept checkpoints that the new source asks for in another way than they were answered: the first of them. */
  changed: ChangedSettings[];
  /** What was open, and didn't stay as it was. */
  open: Record<string, RequestFate>;
  /** All at its position is done anew, by other idempotency keys: it was taken back, or its own code failed. */
  anew?: true;
  /** What it was planned to ask for again, by kinds of effects; left out of an upgrade. */
  again?: Partial<Record<AskedAgain['effect'], number>>;
  /** Of that, what may be done once alone, and was done before: the first of them. */
  repeats?: Position[];
  /** The execution that has the run as it was before. */
  execution: string;
}

/** So many of them a run keeps, the newest. */
export const mostChangeRecords = 50;
/** The changes of a run with one more. Those are kept for longest that calls have their keys by. */
export function withChange(changes: readonly ChangeRecord[], record: ChangeRecord): ChangeRecord[] {
  const all = [...changes, record];
  if (all.length <= mostChangeRecords) return all;
  const dropped = Math.max(
    0,
    all.findIndex(({ anew }) => anew !== true),
  );
  return all.filter((_, at) => at !== dropped);
}

/** A part of the run that is done anew, and the execution before. */
export interface AnewPart {
  position: Position;
  execution: string;
}

/** The parts that are done anew, the last one first. What was before the run went back, or is another one's, has other keys anyway. */
export function anewParts(changes: readonly ChangeRecord[]): AnewPart[] {
  const first = changes.findLastIndex(({ kind }) => kind === 'rewind' || kind === 'fork') + 1;
  return changes
    .slice(first)
    .reverse()
    .flatMap(({ anew, position, execution }) =>
      anew === true && position !== undefined ? [{ position, execution }] : [],
    );
}

/** So many items of a list one keeps. */
export const mostRecorded = 20;
/** Who asks, in characters, and settings that are named. */
const most = { by: 200, accept: 100 } as const;

const keys = ['source', 'mayAskAnew', 'strict', 'accept', 'by'];

/** Reads what was sent, from whoever; a text says what is wrong with it. */
export function readRunChange(given: unknown): RunChange | string {
  const expected = 'expected is {"source": {"entry", "files"}, "mayAskAnew"?, "strict"?, "accept"?, "by"?}';
  if (!isObject(given as JsonValue)) return `the change must be one JSON object; ${expected}`;
  const change = given as Record<string, JsonValue>;
  const unknown = Object.keys(change).filter((key) => !keys.includes(key));
  if (unknown.length > 0) return `the change has the unknown field ${unknown.join(', ')}; ${expected}`;
  const { source = null, mayAskAnew = false, strict = false, accept = [], by = '' } = change;
  if (!isSource(source)) return `the change has no source, or one that lacks entry or files; ${expected}`;
  if (typeof mayAskAnew !== 'boolean' || typeof strict !== 'boolean' || typeof by !== 'string')
    return `the change has a field of another type; ${expected}`;
  if (by.length > most.by) return `the change has a by of more than ${most.by} characters`;
  if (
    !Array.isArray(accept) ||
    accept.length > most.accept ||
    !accept.every((name) => typeof name === 'string')
  )
    return `the change has an accept that is no list of at most ${most.accept} names; ${expected}`;
  return given as RunChange;
}

/** Settings that differ although nobody has agreed to that. */
export function unacceptedChanges(
  changed: readonly ChangedSettings[],
  { strict = false, accept = [] }: Terms,
): ChangedSettings[] {
  if (!strict) return [];
  return changed.flatMap((each) => {
    const settings = each.settings.filter((name) => !accept.includes(name));
    return settings.length === 0 ? [] : [{ ...each, settings }];
  });
}

/** Why they keep a source from being taken. */
export function unacceptedMessage(changed: readonly ChangedSettings[]): string {
  const texts = changed
    .slice(0, 5)
    .map(({ settings, name, position }) => `${settings.join(' and ')} of ${name} at ${position}`);
  const more = changed.length - texts.length;
  return `The source asks in another way than was answered: ${texts.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Without --strict it fits`;
}

/**
 * What is sent to a run that is to go back to a checkpoint: the first argument of the Update `rewind`. The second is the log that it goes on
 * with, packed.
 */
export interface RewindRequest {
  /** The pass of the run, and how many checkpoints it had in all, when the change was planned: it is taken for that state alone. */
  pass: number;
  seen: number;
  /** Positions of requests, timers, events and child runs that are waited for, and go along. */
  open: Position[];
  /** Calls that are made anew have other keys than before: by this text. */
  key: string;
  /** Left out: the source stays. */
  source?: ProcedureSource;
  /** Events that the procedure was told of after the checkpoint: it may wait for them again. */
  events: JsonObject[];
  /** How child runs have ended that were started before the checkpoint, and ended after it. */
  outcomes: Record<Position, Outcome>;
  /** The execution where the part of the log is read that snapshots stand for; left out where there is none. */
  earlier?: string;
  /** What the run keeps of the change, but for its moment. */
  record: Omit<ChangeRecord, 'at' | 'execution'>;
}

/** Reads what was sent, from whoever; a text says what is wrong with it. */
export function readRewind(given: unknown, log: unknown): RewindRequest | string {
  const wrong = 'the rewind is none that a client of this package has made';
  if (!isObject(given as JsonValue)) return wrong;
  const { pass, seen, open, key, source, events, outcomes, earlier = '', record } = given as JsonObject;
  const areNumbers = [pass, seen].every((each) => typeof each === 'number');
  const areTexts = [key, earlier].every((each) => typeof each === 'string' && each.length <= most.by);
  if (!areNumbers || !areTexts || !ArrayBuffer.isView(log)) return wrong;
  if (source !== undefined && !isSource(source)) return wrong;
  if (!Array.isArray(open) || !open.every((each) => typeof each === 'string')) return wrong;
  if (!Array.isArray(events) || !events.every(isEvent)) return wrong;
  if (!isObject(outcomes ?? null) || !Object.values(outcomes as JsonObject).every(isOutcome)) return wrong;
  if (!isObject(record ?? null) || (record as JsonObject)['kind'] !== 'rewind') return wrong;
  return given as RewindRequest;
}

function isEvent(event: JsonValue): boolean {
  return isObject(event) && typeof event['name'] === 'string' && event['value'] !== undefined;
}
