import { describe, expect, it } from 'vitest';
import { readQuestion } from '../../../../../src/activities/tools/agents/agent-adapter.js';
import { readActions } from '../../../../../src/activities/tools/agents/langgraph-agent.js';
import type { JsonValue } from '../../../../../src/contract/json/json.js';

const of = (data: JsonValue): object => readQuestion({ data });

describe('what an agent asks', () => {
  it('is a yes or no, a choice, a form or a text, by what it says', () => {
    expect(of('Where to?')).toMatchObject({ kind: 'input', message: 'Where to?', shown: null, schema: null });
    const form = { type: 'object', properties: { city: { type: 'string' } } };
    expect(of({ question: 'Where to?', response_schema: form })).toMatchObject({
      kind: 'input',
      schema: form,
    });
    expect(of({ prompt: 'Sure?', schema: { type: 'boolean' } })).toMatchObject({ kind: 'approval' });
    expect(of({ message: 'Which?', choices: [1, 'two'] })).toMatchObject({
      kind: 'select',
      options: [1, 'two'],
    });
    expect(readQuestion({ text: 'Which?', schema: { enum: ['a', 'b'] } })).toMatchObject({ kind: 'select' });
  });

  it('is no choice where its options are none', () => {
    for (const options of [[], ['a', 'a'], [{ x: 1 }], 'ab', Array.from({ length: 101 }, (_, i) => i)])
      expect(of({ message: 'Which?', options })).toMatchObject({ kind: 'input', options: [] });
  });

  it('has all of its data shown, whatever it is', () => {
    const data = { message: 'Sure?', origin: { protocol: 'host' }, __proto__: null };
    expect(of(data)).toMatchObject({ message: 'Sure?', shown: { origin: { protocol: 'host' } } });
    expect(of([1, 2])).toMatchObject({ message: 'It says nothing more.', shown: [1, 2] });
    expect(of(null)).toMatchObject({ message: 'It says nothing more.', shown: null });
  });

  it('is refused where nobody could judge it', () => {
    expect(() => of('x'.repeat(20_001))).toThrow('a text of 20001 characters');
    expect(() => of({ x: 'x'.repeat(70_000) })).toThrow('bytes of data');
  });
});

describe('calls of tools that a graph wants to have allowed', () => {
  const request = { name: 'send', args: { to: 'ann' } };

  it('are a yes or no where that is all that may be said', () => {
    const read = readActions({ action_requests: [request], review_configs: [] });
    expect(read?.stop).toEqual({
      text: 'May it call send?',
      data: { action: 'send', arguments: { to: 'ann' } },
      schema: { type: 'boolean' },
    });
    expect(read?.resume(true, undefined)).toEqual({ decisions: [{ type: 'approve' }] });
    expect(read?.resume(false, 'no')).toEqual({ decisions: [{ type: 'reject', message: 'no' }] });
    // No other word is a yes.
    expect(read?.resume('true', undefined)).toEqual({ decisions: [{ type: 'reject' }] });
  });

  it('are told in its own words where more may be said', () => {
    const reviewConfigs = [{ actionName: 'send', allowedDecisions: ['edit', 'reject'] }];
    const read = readActions({ actionRequests: [request], reviewConfigs });
    const content = { decisions: [{ type: 'edit' }] };
    expect(read?.resume(content, undefined)).toBe(content);
    expect(JSON.stringify(read?.stop.schema)).toContain('{"enum":["edit","reject"]}');
  });

  it('are something else where they are none', () => {
    for (const value of [null, 'x', {}, { action_requests: [] }, { action_requests: [{ name: 1 }] }])
      expect(readActions(value)).toBeNull();
  });
});
