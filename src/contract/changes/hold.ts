import { TactusError } from '../errors.js';
import { isObject, jsonAs, type JsonValue } from '../json/json.js';
import { matchesGlob } from '../text/glob.js';
import type { Position } from '../checkpoints/checkpoint.js';

/** What may be held: calls of a provider's models, calls of tools, runs of a procedure or a tenant, and what goes to a task queue. */
const holdKinds = ['provider', 'tool', 'procedure', 'tenant', 'queue'] as const;
type HoldKind = (typeof holdKinds)[number];

/** Why calls wait. Times are ms since 1970. */
export interface Hold {
  /** Of its own: the next hold of the same target has another one. */
  id: string;
  /** `provider:openai`, `tool:crm.*`. */
  target: string;
  reason: string;
  by: string | null;
  since: number;
  /** Then it ends by itself; null: somebody ends it. */
  until: number | null;
  /** It is being released: so many calls begin each second, and the others wait. Left out: it holds. */
  rate?: number;
}

/** A hold as the outside is shown it. Times are ISO 8601 in UTC. */
export interface HoldView {
  target: string;
  reason: string;
  by: string | null;
  since: string;
  until: string | null;
  /** How many calls and starts wait. */
  waiting: number;
  /** Left out where it isn't being released. */
  rate?: number;
}

/** The holds of a namespace: memo of the workflow that keeps them. */
export interface HoldsRecord {
  holds: (Hold & { waiting: number })[];
}

/** An order to that workflow. */
export type HoldChange =
  | { kind: 'add'; target: string; reason: string; by: string | null; until: number | null }
  | { kind: 'release'; target: string; rate: number | null };

/** What an activity is told of holds: left out where the run doesn't know what to do where it is held. */
export interface HoldTerms {
  /** Name of the run's procedure. */
  procedure: string;
  /** Fairness key of the run: an activity isn't given the priority of its run. Left out: it has none. */
  tenant?: string;
  /** Ids of holds that have let this call go. */
  released?: string[];
  /** Somebody has released one of them that held the tenant: the tenant's budget doesn't hold the call again. */
  isTenantReleased?: true;
}

/** Who holds a tenant whose budget is used up. */
export const budgetHolder = 'tenant_budgets';
/** Of all holds, so many are for people: budgets take none of them. */
export const heldByPeople = 50;

/** What begins the target of a hold of a tenant. */
export const tenantTarget = 'tenant:';

/** What may be held of a call. */
export type HoldSubjects = Partial<Record<HoldKind, readonly (string | undefined)[]>>;

/** A run tells the workflow of holds which of its calls wait, by the ids of their holds, and which don't any more. */
export interface HeldSignal {
  run: string;
  waits: { hold: string; positions: Position[] }[];
  gone: Position[];
}

/** The workflow of holds tells a run which of its calls may begin. */
export interface ReleasedSignal {
  hold: string;
  positions: Position[];
}

/** The position of what isn't a call: the start of the run. */
export const startPosition = '';

/** Id of the workflow that keeps the holds of a namespace. */
export const holdsWorkflowId = 'tactus-holds';
/** Key of its memo. */
export const holdsMemo = 'tactus_holds';
/** Type of the failure of a call that is held: the run begins it anew. */
export const heldType = 'held';

/** Each is in the memo, which stands in history with every change. */
export const mostHolds = 200;
const longestTarget = 200;
const longestReason = 500;
const longestBy = 200;
export const highestRate = 1_000;

/** A tenant may have spaces in its name, as fairness keys may. */
const targetPattern = new RegExp(
  `^(?:tenant:\\S(?:\\P{Cc}*\\S)?|(?:${holdKinds.join('|')}):[^\\s\\p{Cc}]+)$`,
  'u',
);

/**
 * Checks an order, from whatever client.
 * @throws TactusError usage naming what is wrong
 */
export function readHoldChange(given: unknown): HoldChange {
  if (!isObject(given as JsonValue)) throw wrong('must be one JSON object');
  const { kind, target, reason, by = null, until = null, rate = null } = given as Record<string, JsonValue>;
  const known = readHoldTarget(target ?? null);
  if (kind === 'release') {
    if (rate !== null && !(typeof rate === 'number' && rate > 0 && rate <= highestRate))
      throw wrong(`has a rate that is not a number of calls each second, up to ${highestRate}`);
    return { kind, target: known, rate };
  }
  if (kind !== 'add') throw wrong('must be of the kind add or release');
  if (!isText(reason, longestReason))
    throw wrong(`needs a reason, which is a text of 1 to ${longestReason} characters`);
  if (by !== null && !isText(by, longestBy))
    throw wrong(`has a by that is not a text of 1 to ${longestBy} characters`);
  if (until !== null && !(typeof until === 'number' && Number.isSafeInteger(until) && until < maxTime))
    throw wrong('has an until that is not a time');
  return { kind, target: known, reason, by, until };
}

/** The last moment that a date may have. */
const maxTime = 8.64e15;

function wrong(problem: string): TactusError {
  return new TactusError('usage', `The hold ${problem}`);
}

/** @throws TactusError usage */
export function readHoldTarget(target: JsonValue): string {
  if (typeof target === 'string' && target.length <= longestTarget && targetPattern.test(target))
    return target;
  throw new TactusError(
    'usage',
    `${JSON.stringify(target).slice(0, longestTarget)} is nothing that can be held: provider:openai, tool:crm.*, procedure:NAME, tenant:KEY and queue:NAME can`,
  );
}

function isText(value: JsonValue | undefined, most: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= most;
}

/** Reads the memo of the workflow; null where it has none. */
export function readHoldsRecord(memo: Record<string, unknown> | undefined): HoldsRecord | null {
  const record = memo?.[holdsMemo] as JsonValue | undefined;
  return isObject(record) ? jsonAs<HoldsRecord>(record) : null;
}

/** The first hold that a call waits for; null: it may begin. @param now in ms since 1970 */
export function holdOn(
  holds: readonly Hold[],
  subjects: HoldSubjects,
  now: number,
  released: readonly string[] = [],
): Hold | null {
  const holding = holds.find(
    ({ id, target, until }) =>
      (until === null || now < until) && !released.includes(id) && isTarget(target, subjects),
  );
  return holding ?? null;
}

function isTarget(target: string, subjects: HoldSubjects): boolean {
  const colon = target.indexOf(':');
  const pattern = target.slice(colon + 1);
  const names = subjects[target.slice(0, colon) as HoldKind] ?? [];
  return names.some((name) => name !== undefined && matchesGlob(pattern, name));
}

/** The tenant that a run is of: the fairness key of its priority; undefined: it has none. */
export function tenantOf({ fairnessKey = '' }: { fairnessKey?: string | undefined } = {}):
  string | undefined {
  return fairnessKey === '' ? undefined : fairnessKey;
}

/** @param waiting how many calls wait for it */
export function holdView({ target, reason, by, since, until, rate }: Hold, waiting: number): HoldView {
  return {
    ...{ target, reason, by, since: new Date(since).toISOString() },
    until: until === null ? null : new Date(until).toISOString(),
    waiting,
    ...(rate === undefined ? {} : { rate }),
  };
}

/** `provider:openai is held by ann since 2026-01-01T00:00:00.000Z: the provider is down`. */
export function holdText({ target, reason, by, since, until, rate }: Omit<HoldView, 'waiting'>): string {
  const who = by === null ? '' : ` by ${by}`;
  const end = until === null ? '' : ` until ${until}`;
  const how = rate === undefined ? 'is held' : `is being released, ${rate} each second, and was held`;
  return `${target} ${how}${who} since ${since}${end}: ${reason}`;
}

/** Reads what says that a call is held; null where it says something else. */
export function readHold(given: unknown): Hold | null {
  const { id, target, reason, since } = (given ?? {}) as Partial<Record<keyof Hold, unknown>>;
  const isHold =
    typeof id === 'string' &&
    typeof target === 'string' &&
    typeof reason === 'string' &&
    typeof since === 'number';
  return isHold ? (given as Hold) : null;
}

function isPositions(given: unknown): given is Position[] {
  return Array.isArray(given) && given.every((each) => typeof each === 'string');
}

/** null where it is none. */
export function readHeldSignal(given: unknown): HeldSignal | null {
  const { run, waits, gone } = (given ?? {}) as Partial<Record<keyof HeldSignal, unknown>>;
  const isSignal =
    typeof run === 'string' &&
    run !== '' &&
    Array.isArray(waits) &&
    waits.every((wait: Partial<Record<string, unknown>> | null) => {
      const { hold, positions } = wait ?? {};
      return typeof hold === 'string' && isPositions(positions);
    }) &&
    isPositions(gone);
  return isSignal ? (given as HeldSignal) : null;
}

/** null where it is none. */
export function readReleasedSignal(given: unknown): ReleasedSignal | null {
  const { hold, positions } = (given ?? {}) as Partial<Record<keyof ReleasedSignal, unknown>>;
  return typeof hold === 'string' && isPositions(positions) ? { hold, positions } : null;
}
