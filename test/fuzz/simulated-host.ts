import type {
  Checkpoint,
  EffectRequest,
  Outcome,
  Position,
} from '../../src/contract/checkpoints/checkpoint.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../../src/contract/json/json.js';
import { digestOf } from '../../src/contract/effects/digest.js';
import type { Limits } from '../../src/contract/runs/limits.js';
import type { Program, Turn } from '../../src/lua-bridge/index.js';
import { Proof } from '../../src/lua-bridge/changes/proof.js';
import { answerOf, fakeProgram, programOptions, runStart } from '../support/fake-host.js';
import type { SeededRandom } from './seeded-random.js';

/** One answer that the host gave, and the effects that were given up because of it. */
interface Given {
  position: Position;
  outcome: Outcome;
  at: number;
  cancelled: Position[];
}

/** All that is to be seen of a run from outside. */
export interface Seen {
  end: JsonValue;
  state: JsonValue;
  shown: JsonValue;
  log: JsonValue;
}

export interface Undisturbed {
  seen: Seen;
  /** Positions asked for, and null for each slice that was used up. */
  turns: (Position[] | null)[];
  answers: Given[];
}

const mostAnswers = 2_000;
const mostTurns = 200_000;
/** A program that is thrown away again and again before it has replayed its log would never end. */
const mostRebuilds = 4;

/** What the host answers depends on the effect and its position alone, so all runs of a procedure get the same. */
function outcomeOf(request: EffectRequest, seed: number): Outcome {
  const roll = Number.parseInt(digestOf([seed, request.position, request.digest]).slice(0, 6), 16);
  if (roll % 12 === 0) return { ok: false, code: 'tool_failed', message: `no luck at ${request.position}` };
  const { effect } = request;
  const value = answerOf(effect, request);
  if (effect.kind === 'human' && effect.ask.kind === 'approval')
    return { ok: true, value: { ...(value as JsonObject), value: roll % 2 === 0 } };
  if (effect.kind === 'predict') return { ok: true, value: { output: roll % 1_000, cost: null } };
  if (
    effect.kind !== 'model_call' ||
    effect.call.tools.length === 0 ||
    effect.call.messages.at(-1)?.role === 'tool'
  )
    return { ok: true, value };
  const toolCalls = Array.from({ length: roll % 4 }, (_, i) => ({
    id: `c${i}`,
    name: i === 2 ? 'unknown' : 'double',
    arguments: { n: roll % (7 + i) },
  }));
  return { ok: true, value: { ...(value as JsonObject), toolCalls } };
}

/** Runs a procedure to its end, answering its open effects one at a time, in an order of the host's choice. */
export function runUndisturbed(
  source: string,
  seed: number,
  random: SeededRandom,
  limits: Partial<Limits>,
  look: (program: Program) => void = () => {},
): Undisturbed {
  const program = fakeProgram(source, { limits });
  const open = new Map<Position, EffectRequest>();
  const answers: Given[] = [];
  const turns: Undisturbed['turns'] = [];
  for (;;) {
    look(program);
    const turn = program.turn();
    look(program);
    if (turn.kind === 'slice') {
      turns.push(null);
      continue;
    }
    if (turn.kind !== 'blocked') return { seen: seenOf(program, turn), turns, answers };
    turns.push(turn.asked.map(({ position }) => position));
    takeOver(turn, open);
    answers.at(-1)?.cancelled.push(...turn.cancelled);
    const request = random.pick([...open.values()]);
    if (request === undefined || answers.length > mostAnswers)
      throw new Error(`stuck, with ${open.size} effects open`);
    open.delete(request.position);
    const at = runStart + 1_000 * (answers.length + 1) + random.below(1_000);
    const answer = { position: request.position, outcome: outcomeOf(request, seed), at, cancelled: [] };
    answers.push(answer);
    program.settle(answer.position, answer.outcome, answer.at);
  }
}

function takeOver(turn: Extract<Turn, { kind: 'blocked' }>, open: Map<Position, EffectRequest>): void {
  for (const position of turn.cancelled)
    if (!open.delete(position)) throw new Error(`${position} was given up, and was not open`);
  for (const request of turn.asked) {
    if (open.has(request.position)) throw new Error(`${request.position} was asked for twice`);
    open.set(request.position, request);
  }
}

/**
 * The same run, with the same answers in the same order; but the program is cut into slices, gets several answers at
 * once and answers that come too late, and is thrown away and rebuilt from its log at any time.
 */
export function runDisturbed(
  source: string,
  { answers, seen: whole }: Undisturbed,
  random: SeededRandom,
  limits: Partial<Limits>,
  edit: Edit | null = null,
): Seen {
  const open = new Map<Position, EffectRequest>();
  let next = 0;
  let rebuilds = 0;
  let current = source;
  /** Positions of what the log has had: a snapshot may stand for it by now. */
  const told = new Set<Position>();
  let program = fakeProgram(source, { limits });
  for (let turns = 0; turns < mostTurns; turns++) {
    const turn = program.turn();
    if (turn.kind === 'completed' || turn.kind === 'failed')
      return withBefore(seenOf(program, turn), program, whole);
    if (turn.kind === 'blocked') {
      takeOver(turn, open);
      for (let batch = 1 + random.below(3); batch > 0 && open.has(answers[next]?.position ?? ''); batch--) {
        const { position, outcome, at, cancelled } = answers[next++] as Given;
        open.delete(position);
        program.settle(position, outcome, at);
        // The host had answers for these as well, before it heard that nobody waits for them any longer.
        for (const late of cancelled)
          if (random.chance(0.5)) program.settle(late, { ok: true, value: 'late' }, at);
      }
    }
    if (rebuilds < mostRebuilds && random.chance(turn.kind === 'slice' ? 0.02 : 0.15)) {
      rebuilds++;
      const edited =
        turn.kind === 'blocked' && random.chance(0.5) ? (edit?.(source, rebuilds) ?? null) : null;
      const digests = edited === null ? {} : proved({ before: current, after: edited, program, limits });
      const kept = edited === null && random.chance(0.5) ? program.drain() : program.log.needed;
      const carried = kept.map((each) => ({ ...each, digest: digests[each.position] ?? each.digest }));
      current = edited ?? current;
      for (const { position } of program.log.entries) told.add(position);
      next = answers.findIndex(({ position }) => !told.has(position));
      if (next < 0) next = answers.length;
      open.clear();
      program = fakeProgram(current, { limits, carried: copyOf(carried) });
    }
  }
  throw new Error(
    `no end after ${mostTurns} turns; the next answer is for ${answers[next]?.position ?? 'nothing'}`,
  );
}

/** Another version of a source, which fits whatever that has recorded. */
export type Edit = (source: string, version: number) => string;

interface Proved {
  before: string;
  after: string;
  program: Program;
  limits: Partial<Limits>;
}

/** The digests of another version, which must fit: what is open among it. */
function proved({ before, after, program, limits }: Proved): Record<Position, string> {
  const log = copyOf(program.log.entries);
  const [old, now] = [before, after].map((source) => programOptions(source, { limits, carried: log }));
  const open = program.pending
    .filter(({ effect }) => goesOn.has(effect.kind))
    .map(({ position }) => position);
  if (old === undefined || now === undefined) throw new TypeError('there are two sources');
  const proof = new Proof({ log, before: old, after: now, open });
  for (;;) {
    const result = proof.advance();
    if (result === null) continue;
    if (result.verdict !== 'fits')
      throw new Error(`it ${result.verdict}: ${result.diverges?.message ?? result.failed?.message}`);
    const moved = Object.entries(result.open).filter(([, fate]) => fate !== 'kept');
    if (moved.length > 0) throw new Error(`not kept: ${JSON.stringify(moved)}`);
    return result.digests;
  }
}

/** Kinds of effects that go on when another execution takes over. */
const goesOn: ReadonlySet<string> = new Set([
  'human',
  'sleep',
  'defer',
  'event',
  'procedure',
  'await_children',
]);

/** As the log comes back from wherever it was kept. */
function copyOf(log: readonly Checkpoint[]): Checkpoint[] {
  return JSON.parse(JSON.stringify(log)) as Checkpoint[];
}

/**
 * What a snapshot stands for is not in the log of the program that goes on from it: it is what the other one has there. Answers
 * that came too late are counted in the one, and not in the other.
 */
function withBefore(seen: Seen, { log: { start } }: Program, whole: Seen): Seen {
  const lines = whole.shown as JsonValue[];
  const entries = whole.log as JsonValue[];
  const tail = seen.log as JsonValue[];
  const before = Math.min(start.checkpoints, Math.max(0, entries.length - tail.length));
  return {
    ...seen,
    shown: [...lines.slice(0, start.shown), ...(seen.shown as JsonValue[])],
    log: [...entries.slice(0, before), ...tail],
  };
}

function seenOf(program: Program, turn: Extract<Turn, { kind: 'completed' | 'failed' }>): Seen {
  const end: JsonValue =
    turn.kind === 'completed'
      ? { output: turn.output }
      : { error: { code: turn.error.code, message: turn.error.message, details: turn.error.details } };
  return {
    end,
    state: program.state(),
    shown: program.shown,
    log: program.log.entries
      .slice(program.log.start.index)
      .filter(
        ({ outcome }) => !outcome.ok || canonicalJson(outcome.value) !== '"late"',
      ) as unknown as JsonValue,
  };
}
