import { describe, expect, it } from 'vitest';
import { parseDecision } from '../../../src/contract/people/ledger.js';

const request = 'orders/42/3';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

describe('parseDecision reads', () => {
  it.each([
    { request, value: true },
    { request, value: null },
    { request, value: { approved: true } },
    { request, value: 'x', by: 'alice', comment: '', digest: 'ab12', id: 'd1' },
    { request, value: '\u0000\ud800', comment: 'x'.repeat(100_000) },
    { request, value: nested(99) },
  ])('$value', (decision) => {
    expect(parseDecision(decision)).toStrictEqual(decision);
  });

  it('null as left out', () => {
    const decision = { request, value: 1, by: null, comment: null, digest: null, id: null };
    expect(parseDecision(decision)).toStrictEqual({ request, value: 1 });
  });

  it('a property named __proto__ as one', () => {
    const parsed = parseDecision(
      JSON.parse(`{"request": "r/1", "value": {"__proto__": {"approved": true}}}`),
    );
    expect(JSON.stringify(parsed)).toContain('"__proto__"');
  });
});

describe('parseDecision refuses', () => {
  it.each<[string, unknown[], string]>([
    ['no argument', [], 'not 0 arguments'],
    ['more arguments', [{ request, value: 1 }, 'alice'], 'not 2 arguments'],
    ['undefined', [undefined], 'not nothing'],
    ['null', [null], 'not null'],
    ['a text', ['yes'], 'not "yes"'],
    ['a number', [7], 'not 7'],
    ['a list', [[request, true]], 'not ["orders/42/3",true]'],
    ['bytes', [new Uint8Array([1, 2])], 'JSON has no form'],
    ['a function', [() => true], 'JSON has no form'],
    ['an object of a class', [new Map()], 'JSON has no form'],
    ['an object that holds one', [{ request, value: new Date() }], 'JSON has no form'],
    ['NaN', [{ request, value: Number.NaN }], 'JSON has no form'],
    ['a big integer', [{ request, value: 1n }], 'JSON has no form'],
    ['holes', [{ request, value: new Array(2) }], 'JSON has no form'],
    ['an abyss', [{ request, value: nested(100) }], 'nested too deep'],
    ['an abyss without a floor', [nested(100_000)], 'nested too deep'],
    ['nothing inside', [{}], 'needs a value'],
    ['no value', [{ request }], 'needs a value'],
    [
      'a value that is inherited',
      [Object.assign(Object.create({ value: 1 }), { request })],
      'JSON has no form',
    ],
    ['no request', [{ value: true }], 'needs a request'],
    ['an empty request', [{ request: '', value: 1 }], 'the request of a decision is a text, not ""'],
    ['a request that is a number', [{ request: 3, value: 1 }], 'the request of a decision is a text, not 3'],
    ['a long request', [{ request: 'x'.repeat(2_001), value: 1 }], 'at most 2000 characters'],
    ['by as an object', [{ request, value: 1, by: { name: 'x' } }], 'the by of a decision'],
    ['an empty by', [{ request, value: 1, by: '' }], 'the by of a decision'],
    ['a long by', [{ request, value: 1, by: 'x'.repeat(501) }], 'at most 500 characters'],
    ['a comment as a list', [{ request, value: 1, comment: ['x'] }], 'the comment of a decision'],
    ['an id as a number', [{ request, value: 1, id: 7 }], 'the id of a decision'],
    ['a long digest', [{ request, value: 1, digest: 'x'.repeat(101) }], 'at most 100 characters'],
    ['an unknown part', [{ request, value: 1, approver: 'x' }], 'a decision has no "approver"'],
    [
      'an unknown part that every object has',
      [{ request, value: 1, constructor: 'x' }],
      'has no "constructor"',
    ],
    ['__proto__', [JSON.parse(`{"request": "r/1", "value": 1, "__proto__": {}}`)], 'has no "__proto__"'],
  ])('%s', (_name, args, reason) => {
    const parsed = parseDecision(...args);
    expect(parsed).toBeTypeOf('string');
    expect(parsed).toContain(reason);
  });
});
