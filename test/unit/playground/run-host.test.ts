import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Program } from '../../../src/lua-bridge/program.js';
import { trySource, withSource } from '../../../src/playground/changes/try-source.js';
import { examples } from '../../../src/playground/procedures/examples.js';
import { sourceOf } from '../../../src/playground/procedures/check-source.js';
import { forkRecord, newRecord } from '../../../src/playground/runs/new-record.js';
import { RunHost } from '../../../src/playground/runs/run-host.js';
import type { RunRecord } from '../../../src/playground/runs/run-record.js';
import type { JsonObject } from '../../../src/contract/json/json.js';

/** A page's worth of time. */
const soonMs = 5_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2) });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A run as one page has it; `kept` is what `localStorage` would give to the next page. */
interface Seen {
  host: RunHost;
  kept: () => RunRecord;
}

function hosted(record: RunRecord, script: readonly string[] = []): Seen {
  let kept = '';
  const host = new RunHost(
    record,
    () => script,
    () => {
      kept = JSON.stringify(record);
    },
  );
  host.start();
  return { host, kept: () => JSON.parse(kept) as RunRecord };
}

function begun(text: string, input: JsonObject = {}, script: readonly string[] = []): Seen {
  return hosted(newRecord(sourceOf(text), input), script);
}

const settle = (ms = soonMs): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

const joke = examples.find(({ name }) => name === 'joke')?.text ?? '';
const asks = `Procedure { function()
  local first = Human.input("First?")
  local second = Human.input("Second?")
  return { first, second }
end }`;

describe('a run of the playground', () => {
  it('that is killed while it waits for a person continues from its record, and its model is called once', async () => {
    const first = begun(joke, { topic: 'tea' }, ['A short joke.']);
    await settle();
    expect(first.host.view).toMatchObject({ status: 'waiting', modelCalls: 1 });
    first.host.kill();
    expect(first.host.view).toMatchObject({ status: 'killed', waits: [] });
    await settle();

    const again = hosted(first.kept(), ['Another joke.']);
    await settle();
    expect(again.host.view).toMatchObject({ status: 'waiting', modelCalls: 1, replayed: 1 });
    const [{ position } = { position: '' }] = again.host.view.waits;
    expect(again.host.answer(position, 'perhaps')).toMatch(/an approval takes true or false/);
    expect(again.host.answer(position, true)).toBeNull();
    await settle();
    expect(again.host.view).toMatchObject({
      status: 'completed',
      output: { joke: 'A short joke.', liked: true },
      shown: [{ kind: 'print', text: 'A short joke.' }],
    });
  });

  it('that is killed while its model answers calls it again, by the same line of the script: nothing was recorded', async () => {
    const script = ['One.', 'Two.'];
    const first = begun(joke, {}, script);
    await settle(100);
    expect(first.host.view).toMatchObject({ status: 'running', modelCalls: 1, log: [] });
    first.host.kill();
    const again = hosted(first.kept(), script);
    await settle();
    expect(again.host.view).toMatchObject({ status: 'waiting', modelCalls: 2, shown: [{ text: 'One.' }] });
  });

  it('and its forks are answered by the line that is next in the run', async () => {
    const script = ['One.', 'Two.', 'Three.'];
    const two = `a = Agent {}
      Procedure { function() return { a("x").output, a("y").output, Human.approve("Go?") } end }`;
    const { kept } = begun(two, {}, script);
    await settle(20_000);
    const fork = hosted(forkRecord(kept(), '1') as RunRecord, script);
    await settle(20_000);
    expect(fork.host.view).toMatchObject({ status: 'waiting', modelCalls: 1 });
    expect(JSON.stringify(fork.host.view.log)).toMatch(/One\..*Two\./);
    expect(JSON.stringify(fork.host.view.log)).not.toContain('Three.');
  });

  it('that a fault of ours ends says so, and keeps what is recorded', async () => {
    const { host, kept } = begun(asks);
    await settle();
    host.answer('0', 'one');
    const turn = vi.spyOn(Program.prototype, 'turn').mockImplementationOnce(() => {
      throw new RangeError('out of everything');
    });
    await settle();
    expect(host.view).toMatchObject({
      status: 'failed',
      error: { code: 'internal', message: 'This is a fault of the playground: out of everything' },
    });
    turn.mockRestore();
    const again = hosted(kept());
    await settle();
    expect(again.host.view).toMatchObject({ status: 'waiting', waits: [{ position: '0' }] });
  });

  it('waits as long as it says, also where that is longer than a timer of a browser', async () => {
    const { host } = begun('Procedure { function() Sleep(60 * 86400) return 1 end }');
    await settle(59 * 86_400_000);
    expect(host.view.status).toBe('waiting');
    await settle(2 * 86_400_000);
    expect(host.view).toMatchObject({ status: 'completed', output: 1 });
  });

  it('changes nothing any more once it is killed', async () => {
    const { host, kept } = begun(joke);
    host.kill();
    const before = JSON.stringify(kept());
    await settle(60_000);
    expect(JSON.stringify(kept())).toBe(before);
  });

  it('keeps the end of a timer over a kill, lets it be skipped, and gives the default of a request', async () => {
    const text = `Procedure { function()
      local go = Human.approve { message = "Go?", timeout = "1h", default = true }
      Sleep(600)
      return { go = go }
    end }`;
    const first = begun(text);
    await settle(30 * 60_000);
    const [wait] = first.host.view.waits;
    first.host.kill();
    await settle(20 * 60_000);
    const again = hosted(first.kept());
    await settle(1_000);
    expect(again.host.view.waits).toMatchObject([{ kind: 'person', endsAt: wait?.endsAt }]);
    await settle(10 * 60_000);
    expect(again.host.view.waits).toMatchObject([{ kind: 'time' }]);
    again.host.skip(again.host.view.waits[0]?.position ?? '');
    await settle();
    expect(again.host.view).toMatchObject({ status: 'completed', output: { go: true } });
  });

  it('runs with the Mocks of its file, and fails what the playground does not perform', async () => {
    const mocked = begun(`shop = Agent {}
      Mocks { shop = { message = "mocked" }, http_client = { returns = { json = { n = 3 } } } }
      Procedure { function() return { shop("Hi").output, http_client.get("https://a.example/").json.n } end }`);
    await settle();
    expect(mocked.host.view).toMatchObject({ status: 'completed', output: ['mocked', 3], modelCalls: 0 });
    const plain = begun('Procedure { function() return http_client.get("https://a.example/").json end }');
    await settle();
    expect(plain.host.view).toMatchObject({
      status: 'failed',
      error: {
        code: 'http_failed',
        message: expect.stringContaining("can't make this call (http)") as string,
        line: 1,
      },
    });
  });

  it('takes an event, and says what is wrong with a file or its input', async () => {
    const { host } = begun('Procedure { function() return { got = Event.wait("paid").amount } end }');
    await settle();
    expect(host.view.waits).toMatchObject([{ kind: 'event', name: 'paid' }]);
    host.answer(host.view.waits[0]?.position ?? '', { amount: 7 });
    await settle();
    expect(host.view).toMatchObject({ status: 'completed', output: { got: 7 } });
    expect(host.answer('0', 1)).toBe('Nothing waits here any more');
    expect(begun('Procedure {').host.view).toMatchObject({
      status: 'failed',
      error: { code: 'source_invalid' },
    });
    const strict = 'Procedure { input = { n = field.number { required = true } }, function() end }';
    expect(begun(strict).host.view).toMatchObject({ status: 'failed', error: { code: 'input_invalid' } });
  });
});

describe('another way', () => {
  it('begins as a fork with the log up to a position', async () => {
    const { host, kept } = begun(asks);
    await settle();
    host.answer('0', 'one');
    await settle();
    host.answer('1', 'two');
    await settle();
    expect(host.view).toMatchObject({ status: 'completed', output: ['one', 'two'] });
    const record = forkRecord(kept(), '1') as RunRecord;
    expect(record).toMatchObject({ forkedFrom: { at: '1' }, log: [{ position: '0' }] });
    expect(forkRecord(kept(), '9')).toBeNull();
    const forked = hosted(record);
    await settle();
    forked.host.answer('1', 'other');
    await settle();
    expect(forked.host.view).toMatchObject({ status: 'completed', output: ['one', 'other'] });
  });

  it('goes an edited file that fits the log, and one that does not is refused with the place', async () => {
    const { host, kept } = begun(asks);
    await settle();
    host.answer('0', 'one');
    await settle();
    const fits = sourceOf(asks.replace('return { first, second }', 'return { both = first .. second }'));
    const result = trySource(kept(), fits, ['1']);
    expect(result).toMatchObject({ verdict: 'fits', kept: 1, open: { 1: 'kept' } });
    host.kill();
    const edited = hosted(withSource(kept(), fits, result));
    await settle();
    edited.host.answer('1', 'two');
    await settle();
    expect(edited.host.view).toMatchObject({ status: 'completed', output: { both: 'onetwo' } });

    // A request that is asked anew has all of its time again.
    const timed = begun(asks.replace('"Second?"', '{ message = "Second?", timeout = "1h" }'));
    await settle();
    timed.host.answer('0', 'one');
    await settle(60_000);
    timed.host.kill();
    const longer = sourceOf(asks.replace('"Second?"', '{ message = "Third?", timeout = "2h" }'));
    const anew = trySource(timed.kept(), longer, ['1']);
    expect(anew).toMatchObject({ verdict: 'fits', open: { 1: 'asked_anew' } });
    expect(timed.kept().ends).toHaveProperty('1');
    expect(withSource(timed.kept(), longer, anew).ends).toEqual({});

    const other = trySource(kept(), sourceOf(asks.replace('First?', 'Something else?')), ['1']);
    expect(other).toMatchObject({ verdict: 'diverges', diverges: { position: '0', line: 2 } });
    expect(trySource(kept(), sourceOf('Procedure {'), ['1'])).toMatchObject({ verdict: 'failed' });
  });
});
