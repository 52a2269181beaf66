import { describe, expect, it } from 'vitest';
import type { HumanAsk } from '../../../../src/contract/people/human-request.js';
import { fakeProgram, outputOf, runFake } from '../../../support/fake-host.js';

function asked(source: string): HumanAsk {
  const turn = fakeProgram(source).turn();
  if (turn.kind !== 'blocked') throw turn.kind === 'failed' ? turn.error : new Error(turn.kind);
  const effect = turn.asked[0]?.effect;
  if (effect?.kind !== 'human') throw new Error('nobody was asked');
  return effect.ask;
}

const plain = { context: null, options: [], default: null, timeoutMs: null, approvers: [] };

describe('who is told of it', () => {
  it.each<[string, object | undefined]>([
    ['', undefined],
    ['channels = "ops"', { channels: ['ops'] }],
    ['channels = {}', { channels: [] }],
    [
      'channels = {"ops", "ops", "mail"}, callback_url = "https://a.example/x?y=1", remind_every = "1d"',
      { channels: ['ops', 'mail'], callbackUrl: 'https://a.example/x?y=1', remindMs: 86_400_000 },
    ],
    ['timeout = "1h", escalate_to = "boss", on_undelivered = "escalate"', { onUndelivered: 'escalate' }],
  ])('%s', (fields, expected) => {
    expect(asked(`Human.approve{message = "Sure?", ${fields}}`).tell).toEqual(expected);
  });

  it('is what runs of before this know nothing of', () => {
    const source = 'Human.approve{message = "Sure?", channels = 3, callback_url = 4, remind_every = 1}';
    const turn = fakeProgram(source, { engine: 6 }).turn();
    expect(turn).toMatchObject({ kind: 'blocked', asked: [{ effect: { kind: 'human' } }] });
    expect(JSON.stringify(turn)).not.toContain('"tell"');
  });

  it.each([
    ['channels = 3', 'needs channels as a list of names'],
    ['channels = {""}', 'needs channels as a list of names'],
    ['callback_url = "http://user:x@host/"', 'needs callback_url as an http or https URL'],
    ['callback_url = "ftp://host/"', 'needs callback_url as an http or https URL'],
    ['remind_every = 59', 'needs remind_every of a minute or more'],
    ['on_undelivered = "error"', 'needs on_undelivered as "escalate"'],
    ['on_undelivered = "escalate"', 'has on_undelivered, and no escalate_to'],
  ])('%s is refused', (fields, problem) => {
    expect(() => asked(`Human.approve{message = "Sure?", ${fields}}`)).toThrow(problem);
  });
});

describe('what people are asked', () => {
  it.each<[string, object]>([
    ['Human.approve("Sure?")', { ...plain, kind: 'approval', message: 'Sure?', default: false }],
    [
      'Human.approve{message = "Sure?", default = true, timeout = "24h"}',
      { ...plain, kind: 'approval', message: 'Sure?', default: true, timeoutMs: 86_400_000 },
    ],
    [
      'Human.approve{message = "Sure?", default_on_timeout = true, timeout = 1.5}',
      { ...plain, kind: 'approval', message: 'Sure?', default: true, timeoutMs: 1_500 },
    ],
    [
      'Human.approve{message = "Sure?", approvers = "ann", context = {amount = 5}}',
      {
        ...plain,
        kind: 'approval',
        message: 'Sure?',
        default: false,
        approvers: ['ann'],
        context: { amount: 5 },
      },
    ],
    ['Human.input("Name?")', { ...plain, kind: 'input', message: 'Name?' }],
    [
      'Human.input{prompt = "Name?", default = "Bo", options = {"Bo", {label = "Cy"}}}',
      { ...plain, kind: 'input', message: 'Name?', default: 'Bo', options: ['Bo', 'Cy'] },
    ],
    ['Human.input{message = "Name?", options = {}}', { ...plain, kind: 'input', message: 'Name?' }],
    [
      'Human.review{message = "Good?", artifact = {text = "a"}, artifact_type = "draft"}',
      {
        ...plain,
        kind: 'review',
        message: 'Good?',
        options: ['approve', 'reject', 'revise'],
        context: { artifact: { text: 'a' }, artifact_type: 'draft' },
      },
    ],
    [
      'Human.approve{message = "Pay?", quorum = 1, requester = "ann", timeout = "1h", on_timeout = "default"}',
      {
        ...plain,
        kind: 'approval',
        default: false,
        message: 'Pay?',
        timeoutMs: 3_600_000,
        policy: { requester: 'ann' },
      },
    ],
    [
      'Human.approve{message = "Pay?", quorum = 2, timeout = 60, on_timeout = "error", escalate_to = "boss", expires_at = 1800000000}',
      {
        ...{ ...plain, kind: 'approval', default: false },
        message: 'Pay?',
        timeoutMs: 60_000,
        metadata: { expires_at: 1_800_000_000 },
        policy: {
          quorum: 2,
          onTimeout: 'error',
          escalation: [{ to: ['boss'], timeoutMs: 60_000 }],
          expiresAt: 1_800_000_000_000,
        },
      },
    ],
    [
      'Human.review{message = "Good?", options = {{label = "Yes", value = "y"}}}',
      { ...plain, kind: 'review', message: 'Good?', options: ['y'] },
    ],
    [
      'Human.input{message = "Mail?", label = "Address", placeholder = "you@example.com", input_type = "email", required = true, multiline = false}',
      {
        ...{ ...plain, kind: 'input', message: 'Mail?' },
        hints: {
          label: 'Address',
          placeholder: 'you@example.com',
          input_type: 'email',
          required: true,
          multiline: false,
        },
      },
    ],
    [
      'Human.input{message = "x", ui_schema = {a = 1}, metadata = {team = "blue", ui_schema = 7, response_schema = 8}}',
      { ...plain, kind: 'input', message: 'x', metadata: { team: 'blue', ui_schema: { a: 1 } } },
    ],
    [
      'Human.approve{message = "x", preconditions = function() return {balance = 5} end}',
      {
        ...{ ...plain, kind: 'approval', message: 'x', default: false },
        metadata: { preconditions: { balance: 5 } },
      },
    ],
  ])('%s', (source, expected) => expect(asked(source)).toEqual(expected));

  it.each([
    ['Human.approve()', 'Human.approve needs a message'],
    ['Human.approve{message = "x", quorum = 0}', 'needs quorum as a whole number from 1 to 100, got 0'],
    [
      'Human.approve{message = "x", quorum = "two"}',
      'needs quorum as a whole number from 1 to 100, got "two"',
    ],
    ['Human.input{message = "x", quorum = 2}', 'has a quorum, and nobody could say when two'],
    ['Human.approve{message = "x", separation = true}', 'has separation, and no requester'],
    ['Human.approve{message = "x", requester = 7}', 'needs requester as a name, got 7'],
    [
      'Human.approve{message = "x", on_timeout = "error"}',
      'has on_timeout, and neither timeout nor expires_at',
    ],
    [
      'Human.approve{message = "x", timeout = 1, on_timeout = "yes"}',
      'needs on_timeout as "default" or "error"',
    ],
    ['Human.approve{message = "x", escalate_to = "boss"}', 'has escalate_to, and no timeout'],
    ['Human.approve{message = "x", timeout = 1, escalate_to = {}}', 'needs 1 to 20 stages'],
    [
      'Human.approve{message = "x", timeout = 1, escalate_to = {{timeout = 1}}}',
      'needs escalate_to as names',
    ],
    [
      'Human.approve{message = "x", timeout = 1, escalate_to = {{to = "a"}, {to = "b"}}}',
      'needs a timeout for each stage of escalate_to but the last',
    ],
    ['Human.approve{message = "x", expires_at = "tomorrow"}', 'needs expires_at as seconds since 1970'],
    ['Human.input{message = "x", placeholder = 5}', 'needs placeholder as a text of 500 characters at most'],
    ['Human.input{message = "x", required = "yes"}', 'needs required as true or false, got "yes"'],
    ['Human.approve(nil)', 'Human.approve needs a message'],
    ['Human.approve(42)', 'Human.approve needs a message'],
    ['Human.approve({})', 'Human.approve needs a message'],
    ['Human.approve("")', 'Human.approve needs a message'],
    ['Human.approve{message = 5}', 'Human.approve needs a message'],
    ['Human.input(("m"):rep(100000))', 'Human.input has a message of 100000 characters; 65536 are allowed'],
    ['Human.approve{message = "x", default = "yes"}', 'needs true or false as default, got "yes"'],
    ['Human.approve{message = "x", default = 1}', 'needs true or false as default, got 1'],
    ['Human.approve{message = "x", timeout = -1}', 'timeout must be seconds'],
    ['Human.approve{message = "x", timeout = "soon"}', 'timeout must be seconds'],
    ['Human.approve{message = "x", timeout = 1e12}', 'timeout must be seconds'],
    ['Human.approve{message = "x", approvers = {1}}', 'needs approvers as a list of names'],
    ['Human.review{message = "x", options = {}}', 'needs options as a list of texts'],
    ['Human.review{message = "x", options = {1}}', 'needs options as a list of texts'],
    ['Human.review{message = "x", options = {"a", "a"}}', 'has the same option twice'],
    [
      'local t = {} for i = 1, 1000 do t[i] = "o" .. i end Human.review{message = "x", options = t}',
      'has 1000 options; 200 are allowed',
    ],
  ])('%s is refused, in a way that can be caught', (call, message) => {
    const { ended, performed } = runFake(`${call.includes('local') ? call : `return ${call}`}`);
    expect(performed).toEqual([]);
    expect(ended).toMatchObject({
      kind: 'failed',
      error: {
        code: 'human_request_invalid',
        message: expect.stringContaining(message) as unknown,
        details: { line: 1 },
      },
    });
    expect(outputOf(`return (pcall(function() ${call} end))`)).toBe(false);
  });

  it('has a zero timeout where it says so', () =>
    expect(asked('Human.approve{message = "x", timeout = 0}').timeoutMs).toBe(0));
});

describe('the answer', () => {
  it('is the value, and the log names the question', () => {
    const { ended, program } = runFake('return {Human.approve("Sure?"), Human.input("Name?")}');
    expect(ended).toMatchObject({ output: [true, 'answer'] });
    expect(program.log.entries.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'hitl_approval Sure?',
      'hitl_input Name?',
    ]);
  });

  it('is named in the log by the beginning of a long question, cut between two characters', () => {
    const { program } = runFake(`Human.approve("${'x'.repeat(98)}😀 and more")`);
    expect(program.log.entries[0]?.name).toBe(`${'x'.repeat(98)}…`);
  });
});
