import type { Position } from '../checkpoints/checkpoint.js';
import type { Hold } from './hold.js';
import { defined, isObject, type JsonValue } from '../json/json.js';

/** What becomes of the time of sleeps, waits and requests while a run is paused. */
export const pausedDeadlines = ['go_on', 'stand_still'] as const;
export type PausedDeadlines = (typeof pausedDeadlines)[number];

/** What a run is told that is to be paused. */
export interface PauseRequest {
  by?: string;
  reason?: string;
  /** Left out: they go on. */
  deadlines?: PausedDeadlines;
}

/** What a run is started with that begins paused. */
export interface StartPause extends PauseRequest {
  /** The hold that it begins paused by, and that ends the pause; left out: somebody else wants it. */
  hold?: Hold;
}

/** Why a run stands still. */
export interface Pause extends StartPause {
  /** In ms since 1970. */
  at: number;
}

/** What the next execution of a paused run is handed. */
export interface CarriedPause extends Pause {
  /** What was begun before, and has no answer: the next execution goes on with it. */
  underWay: Position[];
}

/** A pause, as the outside is shown it. */
export interface PauseView {
  by: string | null;
  reason: string | null;
  /** ISO 8601, UTC. */
  since: string;
  deadlines: PausedDeadlines;
  /** Target of the hold that ends it; left out: somebody ends it by `unpause`. */
  hold?: string;
}

const maxBy = 200;
const maxReason = 1_000;

/** Reads what anybody may have sent. Gives what is wrong with it as a text. */
export function readPause(given: unknown): PauseRequest | string {
  if (!isObject(given as JsonValue)) return 'a pause is {"by", "reason", "deadlines"}';
  const { by, reason, deadlines } = given as Partial<Record<keyof PauseRequest, unknown>>;
  if (by !== undefined && !isText(by, maxBy)) return `by is a text of 1 to ${maxBy} characters`;
  if (reason !== undefined && !isText(reason, maxReason))
    return `reason is a text of 1 to ${maxReason} characters`;
  const time = pausedDeadlines.find((each) => each === deadlines);
  if (deadlines !== undefined && time === undefined) return `deadlines is ${pausedDeadlines.join(' or ')}`;
  return defined({ by, reason, deadlines: time });
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}

/** What a run begins with that is held. */
export function pauseOf(hold: Hold): StartPause {
  const { by, reason } = hold;
  return { ...(by === null ? {} : { by }), reason, hold };
}

export function pauseView({ by, reason, at, deadlines, hold }: Pause): PauseView {
  return {
    by: by ?? null,
    reason: reason ?? null,
    since: new Date(at).toISOString(),
    deadlines: deadlines ?? 'go_on',
    ...defined({ hold: hold?.target }),
  };
}

/** `paused by ann since 2026-01-01T00:00:00.000Z: the provider is down`, without what isn't known. */
export function pauseText({ by, reason, since, hold }: PauseView): string {
  const until = hold === undefined ? '' : ` until ${hold} is released`;
  return `paused${by === null ? '' : ` by ${by}`} since ${since}${until}${reason === null ? '' : `: ${reason}`}`;
}
