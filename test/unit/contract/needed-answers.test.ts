import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../src/contract/engine.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { expireRequests, settleDecision } from '../../../src/contract/people/ledger.js';
import { fakeProgram } from '../../support/fake-host.js';
import { aRequest, ledgerWith, openedAt } from './human-request.fixture.js';

/** The request that a run makes of this call. */
function asked(call: string, parts: Partial<HumanRequest> = {}): HumanRequest {
  const turn = fakeProgram(`Procedure { function() return { a = Human.${call} } end }`).turn();
  if (turn.kind !== 'blocked') throw turn.kind === 'failed' ? turn.error : new Error(turn.kind);
  const effect = turn.asked[0]?.effect;
  if (effect?.kind !== 'human') throw new Error('nobody was asked');
  const { kind, message, context, options, form, metadata, hints, default: byDefault } = effect.ask;
  return aRequest({
    ...{ kind, message, context, options, default: byDefault },
    ...(form === undefined ? {} : { form }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(hints === undefined ? {} : { hints }),
    ...parts,
  });
}

const item = (fields: string): string => `multiple { items = { { id = "a", label = "A", ${fields} } } }`;
const choices = 'type = "select", mode = "multiple", options = { "x", "y" }';

describe('an empty answer', () => {
  it.each<[string, JsonValue]>([
    // What the reference takes for required: all that isn't said to be otherwise.
    [item(''), { a: '' }],
    [item('required = true'), { a: ' \n\t ' }],
    [item('required = true'), { a: '\u200b\u2060\ufeff' }],
    [item('required = true'), { a: '\u3164\u2800' }],
    [item('required = true, response_schema = { type = "array" }'), { a: [] }],
    [item('required = true, response_schema = { type = "object" }'), { a: {} }],
    [item('required = true, response_schema = { type = "array" }'), { a: ['', ' ', null] }],
    [item('required = true, response_schema = { type = "object" }'), { a: { b: '', c: [{ d: '\ufff9' }] } }],
    [item('required = true, response_schema = { type = "string" }'), { a: '' }],
    [item(`required = true, ${choices}, min = 0`), { a: [] }],
    [item(`${choices}`), { a: [] }],
    [item('type = "upload"'), { a: { name: 'a.pdf', path: ' ' } }],
    [item('type = "review"'), { a: '' }],
    [item('type = "approval"'), { a: '' }],
    ['input { message = "m", required = true }', '  '],
    ['input { message = "m", required = true }', '\u200b'],
    ['select { message = "m", mode = "multiple", options = { "x" }, min = 0, required = true }', []],
    ['upload { message = "m" }', { name: 'a.pdf', url: '' }],
    ['escalate { message = "m", required = true }', ''],
    ['escalate { message = "m", required = true }', null],
    ['custom { component_type = "c", message = "m", required = true }', {}],
    ['custom { component_type = "c", message = "m", required = true }', null],
    ['custom { component_type = "c", message = "m", required = true }', { note: '' }],
    ['multiple { items = { { id = "a", label = "A", required = false } }, required = true }', {}],
  ])('is none to Human.%s: %j', (call, value) => {
    const request = asked(call);
    const settled = settleDecision(ledgerWith(request), { request: request.id, value }, openedAt);
    expect(settled.verdict.outcome).toBe('invalid');
    expect(settled.answer).toBeNull();
  });

  it.each<[string, JsonValue]>([
    [item('required = false'), { a: '' }],
    [item(`${choices}, min = 0`), { a: [] }],
    [item(`required = false, ${choices}, min = 0`), { a: [] }],
    [item('type = "approval"'), { a: false }],
    [item('response_schema = { type = "integer" }'), { a: 0 }],
    ['input { message = "m" }', ''],
    ['select { message = "m", mode = "multiple", options = { "x" }, min = 0 }', []],
    ['escalate { message = "m" }', ''],
    ['custom { component_type = "c", message = "m" }', {}],
  ])('is one where the author lets it be, or it says something: Human.%s: %j', (call, value) => {
    const request = asked(call);
    const settled = settleDecision(ledgerWith(request), { request: request.id, value }, openedAt);
    expect(settled.verdict.outcome).toBe('accepted');
  });

  it('says which question it is of', () => {
    const request = asked(item(''));
    const { verdict } = settleDecision(
      ledgerWith(request),
      { request: request.id, value: { a: ' ' } },
      openedAt,
    );
    expect(verdict.message).toBe('"a": an answer is needed: this one is empty');
  });

  it('is the default of an author who says so, and counts in runs that took it', () => {
    const deadline = new Date(openedAt + 10).toISOString();
    const request = asked('multiple { items = { { id = "a", label = "A", default = "" } }, timeout = 5 }', {
      deadline,
    });
    const { expired } = expireRequests(ledgerWith(request), openedAt + 10);
    expect(expired[0]?.answer).toMatchObject({ value: { a: '' }, timed_out: true });
    const old = { request: request.id, value: { a: '' } };
    const settled = settleDecision(ledgerWith(request), old, openedAt, undefined, changesOf(8));
    expect(settled.answer).toMatchObject({ value: { a: '' } });
  });
});
