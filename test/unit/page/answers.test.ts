import { describe, expect, it } from 'vitest';
import { readDraft, type Draft, type Subject } from '../../../src/page/people/request/draft.js';
import { addTurnEvent, type StreamedTurn } from '../../../src/page/runs/streamed-turns.js';
import { readRoute, requestPath, runPath } from '../../../src/page/shell/route.js';
import type { StreamEvent } from '../../../src/contract/streams/stream-event.js';

const subject = (given: Partial<Subject> & Pick<Subject, 'kind'>): Subject => ({
  ...{ message: '?', context: null, options: [], default: null },
  ...given,
});

describe('what was typed', () => {
  it.each<[string, Subject, Draft, unknown]>([
    [
      'a number',
      subject({ kind: 'input', hints: { input_type: 'number' } }),
      { text: ' 4.5 ' },
      { value: 4.5 },
    ],
    [
      'a number with too many digits',
      subject({ kind: 'input', hints: { input_type: 'number' } }),
      { text: '9007199254740993' },
      { problem: 'The number has too many digits.' },
    ],
    [
      'no number',
      subject({ kind: 'input', hints: { input_type: 'number' } }),
      { text: 'x' },
      { problem: 'Type a number.' },
    ],
    ['a text of digits', subject({ kind: 'input' }), { text: '7' }, { value: '7' }],
    [
      'nothing where something is needed',
      subject({ kind: 'input', hints: { required: true } }),
      { text: ' ' },
      { problem: 'Enter an answer.' },
    ],
    ['JSON', subject({ kind: 'input', form: { type: 'any' } }), { text: '{"a":1}' }, { value: { a: 1 } }],
    [
      'an integer of a schema',
      subject({ kind: 'input', metadata: { response_schema: { type: 'integer' } } }),
      { text: '3' },
      { value: 3 },
    ],
    [
      'an artifact that was not changed',
      subject({ kind: 'review', context: { artifact: 'x' } }),
      { decision: 'ok', edited: 'x' },
      { value: { decision: 'ok', feedback: null, edited_artifact: null } },
    ],
    [
      'an artifact of JSON',
      subject({ kind: 'review', context: { artifact: { a: 1 } } }),
      { decision: 'ok', edited: '{"a":2}' },
      { value: { decision: 'ok', feedback: null, edited_artifact: { a: 2 } } },
    ],
    [
      'a needed question among several that is left blank',
      subject({
        kind: 'multiple',
        form: {
          type: 'items',
          items: [
            {
              id: 'why',
              label: 'Why?',
              kind: 'input',
              message: 'Why?',
              options: [],
              required: true,
              default: null,
            },
          ],
        },
      }),
      { items: { why: { text: ' ' } } },
      { problem: 'Why?: Enter an answer.' },
    ],
    [
      'an escalation that wants to know what was done',
      subject({ kind: 'escalation', hints: { required: true } }),
      { text: ' ' },
      { problem: 'Enter an answer.' },
    ],
    ['an escalation without a word', subject({ kind: 'escalation' }), {}, { value: true }],
  ])('is read: %s', (_, request, draft, wanted) => expect(readDraft(request, draft)).toEqual(wanted));

  it('of several questions leaves out what may be, whatever their ids are', () => {
    const item = (id: string, required: boolean) => ({
      ...subject({ kind: 'input' as const }),
      id,
      label: id,
      required,
    });
    const form = { type: 'items' as const, items: [item('__proto__', true), item('b', false)] };
    const items = Object.fromEntries([['__proto__', { text: 'x' }]]);
    const read = readDraft(subject({ kind: 'multiple', form }), { items });
    expect(JSON.stringify(read)).toBe('{"value":{"__proto__":"x"}}');
    expect(
      readDraft(subject({ kind: 'multiple', form: { type: 'items', items: [item('a', true)] } }), {}),
    ).toEqual({ problem: 'a: Enter an answer.' });
  });
});

it('paths name what they show, whatever an id holds', () => {
  const id = 'a/b%2F c?#é/0';
  expect(readRoute(requestPath(id))).toEqual({ page: 'request', id });
  expect(readRoute(runPath(id))).toEqual({ page: 'run', id });
  expect(readRoute('/')).toEqual({ page: 'inbox' });
  expect(readRoute('/runs')).toEqual({ page: 'runs' });
  expect(['/x', '/runs/%', '/runs/a/b'].map((path) => readRoute(path).page)).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ]);
});

it('what an agent says at a position is void when its call is tried again', () => {
  const by = { run_id: 'r', position: '0', agent: 'a', attempt: 1, at: '' };
  const events: StreamEvent[] = [
    { ...by, type: 'text', text: 'wro' },
    { ...by, type: 'text', text: 'ng' },
    { ...by, type: 'restart' },
    { ...by, type: 'text', text: 'right' },
    { ...by, type: 'tool_call', call_id: '1', tool: 't', arguments: {} },
    { ...by, type: 'tool_result', call_id: '1', tool: 't', content: 'done' },
    { ...by, type: 'gap', lost: 2 },
    {
      ...by,
      type: 'answer',
      model: 'm',
      finish_reason: 'stop',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ];
  let turns: StreamedTurn[] = [];
  events.forEach((event, offset) => (turns = addTurnEvent(turns, { offset, event })));
  expect(turns).toMatchObject([
    { parts: [{ text: 'right' }, { tool: 't', result: 'done' }], isDone: true, isBroken: false, lost: 2 },
  ]);
  turns = addTurnEvent(turns, { offset: 9, event: { ...by, position: '1', type: 'interrupted' } });
  expect(turns[1]).toMatchObject({ position: '1', isDone: true, isBroken: true });
});
