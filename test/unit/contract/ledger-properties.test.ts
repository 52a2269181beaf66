import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/contract/people/decision.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import {
  cancelRequest,
  emptyLedger,
  escalateRequest,
  expireRequests,
  openRequest,
  reachProblem,
  settleDecision,
  type Ledger,
} from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt, runId } from './human-request.fixture.js';

type Step =
  | { do: 'open'; request: number }
  | { do: 'cancel'; request: number }
  | { do: 'decide'; request: number; decision: Omit<Decision, 'request'> }
  | { do: 'expire' };

const requests: HumanRequest[] = [0, 1, 2, 3].map((index) =>
  aRequest({
    position: index === 3 ? '9.1.0' : String(index),
    kind: index === 1 ? 'input' : 'approval',
    approvers: index === 2 ? ['alice'] : [],
    deadline: index === 0 ? null : new Date(openedAt + 3 * index).toISOString(),
  }),
);

const anIndex = fc.nat(requests.length - 1);
const aDecision = fc
  .tuple(
    fc.constantFrom(true, false, 'yes', ''),
    fc.constantFrom({}, { by: 'alice' }, { by: 'bob' }),
    fc.constantFrom({}, { id: 'd1' }, { id: 'd2' }, { id: 'd3' }),
  )
  .map(([value, by, id]) => ({ value, ...by, ...id }));
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('cancel' as const), request: anIndex }),
  { arbitrary: fc.record({ do: fc.constant('open' as const), request: anIndex }), weight: 3 },
  {
    arbitrary: fc.record({ do: fc.constant('decide' as const), request: anIndex, decision: aDecision }),
    weight: 5,
  },
  fc.record({ do: fc.constant('expire' as const) }),
);

/** Does one step; gives the ids of the requests that were answered by it. */
function take(
  ledger: Ledger,
  step: Step,
  nowMs: number,
): { ledger: Ledger; answered: string[]; said: unknown } {
  if (step.do === 'expire') {
    const { ledger: next, expired } = expireRequests(ledger, nowMs);
    return { ledger: next, answered: expired.map(({ id }) => id), said: expired };
  }
  const request = requests[step.request] as HumanRequest;
  if (step.do === 'cancel')
    return { ledger: cancelRequest(ledger, request.id, nowMs), answered: [], said: null };
  if (step.do === 'open') {
    const known = ledger.closed.some(({ id }) => id === request.id);
    const { ledger: next, answer } = openRequest(ledger, request, nowMs);
    return { ledger: next, answered: answer !== null && !known ? [request.id] : [], said: answer };
  }
  const settled = settleDecision(ledger, { request: request.id, ...step.decision }, nowMs);
  const answered = settled.answer === null ? [] : [request.id];
  return { ledger: settled.ledger, answered, said: [settled.verdict, settled.answer] };
}

describe('in any order of events', () => {
  it('a request is answered once at most, and its decisions have one winner', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 60 }), (steps) => {
        let ledger = emptyLedger(runId);
        const answers = new Map<string, number>();
        const withdrawn = new Set<string>();
        steps.forEach((step, index) => {
          const before = ledger;
          const taken = take(ledger, step, openedAt + index);
          ledger = taken.ledger;
          for (const id of taken.answered) answers.set(id, (answers.get(id) ?? 0) + 1);
          // A withdrawn request that is asked again is a new question.
          for (const { id, how } of before.closed) if (how === 'cancelled') withdrawn.add(id);
        });
        for (const [id, count] of answers) if (!withdrawn.has(id)) expect(count).toBe(1);
        for (const { id } of requests) {
          const places = [...ledger.open, ...ledger.closed].filter((each) => each.id === id);
          expect(places.length).toBeLessThanOrEqual(1);
          const accepted = ledger.verdicts.filter((kept) => kept.id === id && kept.outcome === 'accepted');
          if (!withdrawn.has(id)) expect(accepted.length).toBeLessThanOrEqual(1);
        }
      }),
      { seed: 20_260_101, numRuns: 1_000 },
    );
  });

  it('a ledger that went through JSON in the middle goes on the same', () => {
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 1, maxLength: 40 }), fc.nat(39), (steps, cut) => {
        let straight = emptyLedger(runId);
        let carried = emptyLedger(runId);
        steps.forEach((step, index) => {
          if (index === cut % steps.length) carried = JSON.parse(JSON.stringify(carried)) as Ledger;
          const one = take(straight, step, openedAt + index);
          const other = take(carried, step, openedAt + index);
          expect(other).toStrictEqual(one);
          straight = one.ledger;
          carried = other.ledger;
        });
      }),
      { seed: 20_260_102, numRuns: 500 },
    );
  });
});

const people = ['ann', 'bob', 'eve', 'joe', 'zoe'];
const aPerson = fc.constantFrom(...people);
const aPolicy = fc.record({
  kind: fc.constantFrom('approval' as const, 'select' as const),
  quorum: fc.constantFrom(undefined, 2, 3),
  approvers: fc.uniqueArray(aPerson, { maxLength: 3 }),
  requester: fc.constantFrom(undefined, 'zoe'),
  stages: fc.array(fc.uniqueArray(aPerson, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
});
const aWord: fc.Arbitrary<Omit<Decision, 'request'> | 'escalate'> = fc.oneof(
  fc.record({ by: aPerson, value: fc.constantFrom('eu', 'us') }),
  fc.record({ by: aPerson, to: aPerson, action: fc.constant('delegate' as const), value: fc.constant(null) }),
  fc.constant('escalate' as const),
);

it('whoever hands it on, a request that could be decided once can be decided until it is', () => {
  fc.assert(
    fc.property(aPolicy, fc.array(aWord, { maxLength: 12 }), (policy, words) => {
      const { kind, quorum, approvers, requester, stages } = policy;
      const isoOf = (ms: number): string => new Date(openedAt + ms).toISOString();
      const request = aRequest({
        ...{ kind, approvers, options: kind === 'select' ? ['eu', 'us'] : [] },
        ...(quorum === undefined ? {} : { quorum }),
        ...(requester === undefined ? {} : { requester }),
        ...(stages.length === 0
          ? {}
          : { escalation: stages.map((to, i) => ({ to, at: isoOf(1_000 * (i + 1)), asked: false })) }),
      });
      fc.pre(reachProblem(request) === null);
      const valueOf = (word: JsonValue): JsonValue =>
        kind === 'select' ? word : word === 'eu' ? true : word;
      let ledger = ledgerWith(request);
      let stage = 0;
      for (const word of words) {
        if (word === 'escalate') ledger = escalateRequest(ledger, request.id, openedAt + 1_000 * ++stage);
        else {
          const decision = { ...word, request: request.id, value: valueOf(word.value) };
          ledger = settleDecision(ledger, decision, openedAt).ledger;
        }
        if (ledger.open.length > 0) expect(isDecidable(ledger, valueOf)).toBe(true);
      }
    }),
    { seed: 20_260_103, numRuns: 2_000 },
  );
});

/** Whether it is decided when everybody has been asked, and all who have a say agree on one of the values. */
function isDecidable(before: Ledger, valueOf: (word: JsonValue) => JsonValue): boolean {
  const [{ id } = { id: '' }] = before.open;
  const asked = escalateRequest(before, id, openedAt + 1e9);
  return ['eu', 'us'].some((word) => {
    const after = ['stranger', 'other stranger', 'third stranger', ...people].reduce(
      (ledger, by) => settleDecision(ledger, { request: id, value: valueOf(word), by }, openedAt).ledger,
      asked,
    );
    return after.open.length === 0;
  });
}

describe('fifty requests', () => {
  const fifty = Array.from({ length: 50 }, (_, index) =>
    aRequest({ position: `7.${index}.0`, kind: 'input' }),
  );
  const decisions: Decision[] = fifty.map(({ id }) => ({ request: id, value: `for ${id}`, id: `d-${id}` }));

  it.each([1, 2, 3, 4, 5])('get each its own answer, whatever the order (seed %i)', (seed) => {
    const order = shuffled([...decisions, ...decisions], seed);
    let ledger = ledgerWith(...fifty);
    const answers = new Map<string, unknown>();
    const outcomes: string[] = [];
    for (const decision of order) {
      const settled = settleDecision(ledger, decision, openedAt);
      ledger = settled.ledger;
      outcomes.push(settled.verdict.outcome);
      if (settled.answer !== null) answers.set(decision.request, settled.answer.value);
    }
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(fifty.map(({ id }) => [id, `for ${id}`])));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(50);
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(50);
  });

  it('are answered by decisions that came before them', () => {
    let ledger = emptyLedger(runId);
    for (const decision of shuffled(decisions, 6)) ledger = settleDecision(ledger, decision, openedAt).ledger;
    for (const request of shuffled(fifty, 7)) {
      const opened = openRequest(ledger, request, openedAt);
      expect(opened.answer?.value).toBe(`for ${request.id}`);
      ledger = opened.ledger;
    }
    expect(ledger.early).toEqual([]);
  });
});

it('a ledger stays small, however many decisions come', () => {
  let ledger = emptyLedger(runId);
  for (let index = 0; index < 1_500; index++) {
    const request = aRequest({ position: String(index) });
    ledger = openRequest(ledger, request, openedAt).ledger;
    ledger = settleDecision(ledger, { request: request.id, value: true, by: 'alice' }, openedAt).ledger;
  }
  expect(ledger.closed).toHaveLength(1_000);
  expect(ledger.verdicts).toHaveLength(100);
  const again = settleDecision(ledger, { request: `${runId}/17`, value: true }, openedAt);
  expect(again.verdict.outcome).toBe('unknown');
});

/** Fisher-Yates with a linear congruential generator: the same seed gives the same order on every machine. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = [...items];
  let state = seed;
  for (let last = order.length - 1; last > 0; last--) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const other = state % (last + 1);
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
