import type { Position } from '../checkpoints/checkpoint.js';
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

/** Why a run stands still. */
export interface Pause extends PauseRequest {
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

export function pauseView({ by, reason, at, deadlines }: Pause): PauseView {
  return {
    by: by ?? null,
    reason: reason ?? null,
    since: new Date(at).toISOString(),
    deadlines: deadlines ?? 'go_on',
  };
}

/** `paused by ann since 2026-01-01T00:00:00.000Z: the provider is down`, without what isn't known. */
export function pauseText({ by, reason, since }: PauseView): string {
  return `paused${by === null ? '' : ` by ${by}`} since ${since}${reason === null ? '' : `: ${reason}`}`;
}
