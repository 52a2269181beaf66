import { expect, it } from 'vitest';
import { TactusError } from '../../../../src/contract/errors.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import type { HumanAsk } from '../../../../src/contract/people/human-request.js';
import {
  answerOf,
  runFake,
  type FakeOptions,
  type FakeRun,
  type Perform,
} from '../../../support/fake-host.js';

const asking = (body: string): string => `step("load", function() ${body} end, { on_failure = "ask" })`;
const pay = (name: string): string => `http_client.post("https://x.example/${name}", {})`;

/** What people are asked, who let it be tried again `retries` times; `logs`: as they were handed over. */
function run(
  source: string,
  retries: number,
  options: FakeOptions = {},
): { asks: HumanAsk[]; logs: FakeRun['handed'] } {
  const asks = new Map<string, HumanAsk>();
  const perform: Perform = (effect, request) => {
    if (effect.kind !== 'human') return (options.perform ?? answerOf)(effect, request);
    asks.set(request.position, effect.ask);
    const value = asks.size <= retries ? 'retry' : 'give_up';
    return { value, by: 'zoe', comment: null, timed_out: false };
  };
  const { ended, handed } = runFake(source, { ...options, perform });
  const message = expect.stringContaining('late') as string;
  expect(ended).toMatchObject({ kind: 'failed', error: { message } });
  return { asks: [...asks.values()], logs: handed };
}

const asked = (...args: Parameters<typeof run>): HumanAsk[] => run(...args).asks;

const labelOf = ({ form }: HumanAsk): string | undefined =>
  form?.type === 'select' ? form.choices[0]?.label : undefined;

it('tells of all that is asked again, however deep, and what is done a second time', () => {
  const [ask] = asked(
    asking(`${pay('one')} step("in", function() File.read("a") end)
      Parallel({ function() ${pay('two')} end, function() Sleep(1) end }) error("late")`),
    0,
  );
  expect(ask?.context).toMatchObject({
    error: expect.stringContaining('late') as string,
    repeats: [
      { position: '0.0', type: 'http', effect: 'once', repeats: true },
      { position: '0.1.0', type: 'file', name: 'read a', effect: 'pure', repeats: false },
      { position: '0.2.0.0', effect: 'once', repeats: true },
      { position: '0.2.1.0', type: 'sleep', effect: 'pure', repeats: false },
    ],
    more: 0,
    second_time: 2,
  });
  expect(labelOf(ask as HumanAsk)).toMatch(/^Try it again from its beginning: a second time .*one.*, .*two/);
});

it('counts what may be done once alone in all attempts, and all else in the last', () => {
  const source = `local tries = 0 ${asking(
    `tries = tries + 1 File.read("a") if tries == 1 then ${pay('one')} end error("late")`,
  )}`;
  const contexts = asked(source, 1).map(({ context }) => context as JsonObject);
  expect(contexts[1]).toMatchObject({
    repeats: [
      { position: '0.1', effect: 'once', repeats: true },
      { position: '0.3', type: 'file' },
    ],
    second_time: 1,
  });
});

it('counts nothing that was refused before it began, and no compensation', () => {
  const perform: Perform = (effect, request) => {
    if (effect.kind === 'http' && effect.request.url.includes('one'))
      throw new TactusError('egress_denied', 'not there');
    return answerOf(effect, request);
  };
  const source = asking(`defer("tidy", function() ${pay('two')} end) pcall(function() ${pay('one')} end)
    error("late")`);
  const [ask] = asked(source, 0, { perform });
  expect(ask?.context).toMatchObject({
    repeats: [{ position: '0.0', effect: 'once', repeats: false }],
    second_time: 0,
  });
  expect(labelOf(ask as HumanAsk)).toBe('Try it again from its beginning');
});

it('lists no more than a few, those first that must not be repeated', () => {
  const source = asking(`for i = 1, 60 do File.read("a" .. i) end
    for i = 1, 25 do http_client.post("https://x.example/" .. i, {}) end error("late")`);
  const [ask] = asked(source, 0);
  const { repeats, more, second_time: secondTime } = ask?.context as JsonObject;
  expect(repeats).toHaveLength(20);
  expect(repeats).toEqual(Array(20).fill(expect.objectContaining({ effect: 'once' })));
  expect([more, secondTime]).toEqual([65, 25]);
  expect(labelOf(ask as HumanAsk)).toMatch(/ and more$/);
});

it.each([
  ['a whole step', 'step("all", function() POST return 1 end, { whole = true })'],
  [
    'rounds',
    'state.n = 0 DurableLoop { body = function() state.n = state.n + 1 POST if state.n == 3 then return 1 end end }',
  ],
])('is the same in a program that goes on from a snapshot of %s', (_, part) => {
  const posts = 'for i = 1, 20 do http_client.post("https://x.example/" .. i, {}) end';
  const source = asking(`${part.replace('POST', posts)} File.read("b") error("late")`);
  const { asks } = run(source, 1);
  expect((asks[1]?.context as JsonObject)['second_time']).toBeGreaterThan(39);
  const handed = run(source, 1, { handsOver: () => true });
  expect(handed.asks).toEqual(asks);
  expect(handed.logs.some((log) => log.some(({ snapshot }) => snapshot !== undefined))).toBe(true);
});
