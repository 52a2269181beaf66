import type { Position, Spent } from '../checkpoints/checkpoint.js';
import { isSource, type ProcedureSource } from '../procedures/source.js';
import type { ChangedSettings, Divergence, RequestFate } from './proof.js';
import type { WaitKind } from '../effects/effects.js';
import type { RunError } from '../errors.js';
import { isObject, type JsonValue } from '../json/json.js';

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

/** One change that a run has gone through. Stays with it: `changes` of its status. */
export interface ChangeRecord {
  kind: 'upgrade';
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
  /** The execution that has the run as it was before. */
  execution: string;
}

/** So many of them a run keeps, the newest. */
export const mostChangeRecords = 50;
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
