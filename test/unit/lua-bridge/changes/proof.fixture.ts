import { expect, it } from 'vitest';
import type { ProofResult } from '../../../../src/contract/changes/proof.js';
import type { Checkpoint, Position } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { ModelCallResult } from '../../../../src/contract/models/model-call.js';
import type { HumanAnswer } from '../../../../src/contract/people/human-request.js';
import { Proof, type ProofOptions } from '../../../../src/lua-bridge/changes/proof.js';
import type { Program, Turn } from '../../../../src/lua-bridge/index.js';
import {
  answerOf,
  fakeProgram,
  outcomeOf,
  programOptions,
  runStart,
  type FakeOptions,
  type Perform,
} from '../../../support/fake-host.js';

/** A procedure around a body, which begins at line 5 where `top` has one line. */
export function procedure(body: string, top = '', config = ''): string {
  return `${top}\nProcedure {\n  ${config}\n  function(input)\n${body}\n  end,\n}\n`;
}

/** How a body ends that waits for a person. */
export const wait = `    local ok = Human.approve("Go?")\n    return { ok = ok }`;

export interface Recorded {
  log: Checkpoint[];
  /** Of the questions to people that have no answer. */
  open: Position[];
}

export interface RecordOptions extends Omit<FakeOptions, 'perform'> {
  /** What people answer, in order; the next question waits. */
  people?: JsonValue[];
  perform?: Perform;
}

export const modelAnswer = (text: string): JsonValue => ({
  ...{ text, toolCalls: [], finishReason: 'stop', model: 'm' },
  usage: { input_tokens: 1, output_tokens: 1 } satisfies ModelCallResult['usage'],
});

const answer: Perform = (effect, request) => {
  if (effect.kind === 'model_call') return modelAnswer('answer');
  if (effect.kind === 'file') return effect.operation === 'read' ? `content of ${effect.path}` : true;
  return answerOf(effect, request);
};

/** Runs a procedure until it waits for nothing but people who don't answer. */
export function record(
  source: string,
  { people = [], perform = answer, ...options }: RecordOptions = {},
): Recorded {
  const program = fakeProgram(source, options);
  const answers = [...people];
  const settled = new Set<Position>();
  let at = runStart;
  for (;;) {
    const turn = toItsEnd(program);
    if (turn.kind !== 'blocked') return { log: [...program.log.entries], open: [] };
    for (const request of turn.asked) {
      at += 1_000;
      const isUnanswered = request.effect.kind === 'human' && answers.length === 0;
      if (isUnanswered) continue;
      const outcome =
        request.effect.kind === 'human'
          ? ({ ok: true, value: decided(answers.shift() ?? null) } as const)
          : outcomeOf(perform, request);
      program.settle(request.position, outcome, at);
      settled.add(request.position);
    }
    if (!program.pending.some(({ position }) => settled.has(position)))
      return { log: [...program.log.entries], open: program.pending.map(({ position }) => position) };
  }
}

function decided(value: JsonValue): JsonValue {
  return { value, timed_out: false, by: null, comment: null } satisfies HumanAnswer;
}

function toItsEnd(program: Program): Turn {
  for (;;) {
    const turn = program.turn();
    if (turn.kind !== 'slice') return turn;
  }
}

interface ProveOptions extends FakeOptions, Pick<ProofOptions, 'mayAskAnew' | 'isGivenUp'> {
  /** What of the log is kept; left out: all of it. */
  kept?: readonly Checkpoint[];
}

/** What the log of one source says of another, in a run that goes on with it. */
export function prove(
  before: string,
  after: string,
  { log, open }: Recorded,
  { kept = log, mayAskAnew, isGivenUp, ...options }: ProveOptions = {},
): ProofResult {
  const given = (source: string): ProofOptions['after'] =>
    programOptions(source, { ...options, carried: kept });
  const asked = { open, mayAskAnew, isGivenUp };
  const proof = new Proof({ log, before: given(before), after: given(after), ...asked });
  for (;;) {
    const result = proof.advance();
    if (result !== null) return result;
  }
}

/** The same of a run that one source has recorded until it waited. */
export function proved(before: string, after: string, options: RecordOptions = {}): ProofResult {
  return prove(before, after, record(before, options), options);
}

/** What a log says of a source, in few words. */
export type Case = [what: string, before: string, after: string, said: string, options?: RecordOptions];

/** Each is a test. */
export function holds(cases: Case[]): void {
  it.each(cases)('%s', (_, before, after, said, options) => {
    expect(inShort(proved(before, after, options))).toBe(said);
  });
}

/** In few words: `fits`, with what has changed; `diverges at 1, line 6`; or `fails: ` and the code. */
export function inShort({ verdict, diverges, failed, changed, open }: ProofResult): string {
  if (diverges !== null)
    return `diverges at ${diverges.position}, ${diverges.line === null ? 'no line' : `line ${diverges.line}`}`;
  if (failed !== null) return `fails: ${failed.code}`;
  const settings = changed.map(({ position, settings: names }) => ` ${position}: ${names.join(' ')}`);
  const fates = Object.entries(open).filter(([, fate]) => fate !== 'kept');
  return [
    `${verdict}`,
    ...(settings.length === 0 ? [] : [`, changed${settings.join(',')}`]),
    ...fates.map(([at, fate]) => `, ${at} ${fate}`),
  ].join('');
}
