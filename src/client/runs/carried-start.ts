import { randomUUID } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import {
  newCarry,
  type Carry,
  type HandedWork,
  type RunStarted,
  type StartInput,
} from '../../contract/runs/start-input.js';
import { passOfAnother } from '../../contract/runs/pass.js';
import { packCarried, type CarriedLog } from '../../log/pack.js';
import type { Decision } from '../../contract/people/decision.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { emptyLedger, type Ledger } from '../../contract/people/ledger.js';

/** The engine that such a run has at least: what engine 1 recorded fits 2. */
export const oldestCarried = 2;

/** What a run is started with that goes on with a log which isn't its own. */
export interface CarriedStart {
  runId: string;
  start: StartInput & { carry: Carry };
  packed: Uint8Array;
  /** What the run's page says of it. */
  summary: string;
  /** The time that it may take; left out: no limit. */
  timeout?: string;
  /** The id is that of a run that has ended, which this one goes on with. `afterAny`: it need not have failed. */
  again?: { afterAny?: true };
  /** The run that had started it, under whose id another one may go on; left out: nobody had, or the id is another. */
  parent?: string;
  /** Child runs that go on with it, from their own logs: they are started before it. */
  children?: CarriedStart[];
}

/**
 * Chance, the clock and the engine are those of which what is recorded came.
 * @throws TactusError payload_too_large
 */
export function carriedStart(
  runId: string,
  { start: given, startedAt, seed, engine, pass }: RunStarted,
  { entries, answers, trial }: CarriedLog,
  summary: string,
  handed: Partial<Carry> = {},
): CarriedStart {
  const carry = {
    ...newCarry(runId, randomUUID(), startedAt),
    ...{ seed, engine },
    ...(pass === undefined ? {} : { pass: passOfAnother(pass) }),
    ...handed,
  };
  const start = { ...given, carry };
  const packed = packCarried(entries, answers ?? null, trial ?? null);
  const bytes = packed.length + jsonSize(start);
  if (bytes > maxInlineBytes)
    throw new TactusError(
      'payload_too_large',
      `The start input and the log have ${bytes} bytes together; at most ${maxInlineBytes} can be sent`,
    );
  return { runId, start, packed, summary };
}

/** What a run begins with of what people have done for another one, and what of it stays behind: a line for people each. */
export interface Handed {
  carry: Pick<Carry, 'ledger' | 'deadlines' | 'kept'>;
  leftBehind: string[];
}

interface Handing {
  from: string;
  to: string;
  /** Decisions of the run are signed: they name the run that they were made for. */
  isSigned: boolean;
  /** What has come about later belongs to the way that isn't gone, in ms since 1970; left out: all of it is handed. */
  before?: number;
}

/**
 * Hands what people have done for a run to another one: votes, who a request was handed to, what was decided early, times, events
 * and what was said to agents. Messages to people aren't handed: those of the new run name its own requests.
 */
export function handWork(work: HandedWork, { from, to, isSigned, before = Infinity }: Handing): Handed {
  const leftBehind: string[] = [];
  const renamed = (id: string): string => `${to}${id.slice(from.length)}`;
  const isHanded = ({ created_at: at }: HumanRequest): boolean => Date.parse(at) <= before;
  const open = work.requests.filter(isHanded).map((request) => {
    const { deliveries: _, reminder: __, ...same } = request;
    const moved = { ...same, id: renamed(request.id), run_id: to };
    if (!isSigned) return moved;
    if (hasWork(request)) leftBehind.push(`${workOf(request)} on ${request.id}: signed for ${from}`);
    return unsigned(moved);
  });
  for (const request of work.requests)
    if (!isHanded(request) && hasWork(request))
      leftBehind.push(`${workOf(request)} on ${request.id}: it is asked anew`);
  const stays = (decisions: readonly Decision[], why: string): void => {
    for (const { request, by } of decisions)
      leftBehind.push(`the decision${by === undefined ? '' : ` of ${by}`} on ${request}: ${why}`);
  };
  if (isSigned) stays(work.early, `signed for ${from}`);
  else if (before !== Infinity) stays(work.early, 'it was kept for a request that is asked another way');
  const isKept = !isSigned && before === Infinity;
  const ledger: Ledger = {
    ...emptyLedger(to),
    open,
    closed: before === Infinity ? work.answered.map((closed) => ({ ...closed, id: renamed(closed.id) })) : [],
    early: isKept ? work.early.map((each) => ({ ...each, request: renamed(each.request) })) : [],
  };
  const deadlines = Object.entries(work.deadlines).filter(
    ([position]) => (work.since[position] ?? 0) <= before,
  );
  return {
    carry: { ledger, deadlines: Object.fromEntries(deadlines), kept: keptOf(work, before) },
    leftBehind,
  };
}

/** An event that was given to a wait is there for whoever waits the other way. */
function keptOf({ kept }: HandedWork, before: number): Record<string, JsonValue> {
  const { event } = kept;
  if (before === Infinity || !Array.isArray(event)) return kept;
  return {
    ...kept,
    event: event.map((each) => {
      const { takenAt: _, ...free } = each as JsonObject;
      return free;
    }),
  };
}

function hasWork({ votes = [], delegated = [] }: HumanRequest): boolean {
  return votes.length + delegated.length > 0;
}

function workOf({ votes = [], delegated = [] }: HumanRequest): string {
  const parts = [
    ...(votes.length === 0 ? [] : [`what ${votes.map(({ by }) => by).join(', ')} said`]),
    ...delegated.map(({ by, to }) => `that ${by} handed it to ${to}`),
  ];
  return parts.join(', and ');
}

/** Its times alone. */
function unsigned({
  votes: _votes,
  delegated: _delegated,
  escalation: _escalation,
  ...request
}: HumanRequest): HumanRequest {
  return request;
}
