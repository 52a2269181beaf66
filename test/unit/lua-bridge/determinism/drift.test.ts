import { describe, expect, it } from 'vitest';
import { runFake } from '../../../support/fake-host.js';

const drift = { seed: 'another', aheadMs: 400 * 86_400_000 + 7_201_000 };

/** Runs a source, and again on its own log, where chance and time are other ones. */
function again(source: string) {
  const first = runFake(source);
  const second = runFake(source, { carried: first.program.log.entries, drift });
  return { first, second, error: second.ended?.kind === 'failed' ? second.ended.error : null };
}

describe('a replay with other chance and time', () => {
  it.each([
    ['what is recorded', 'return checkpoint(function() return {math.random(), os.time(), os.date()} end)'],
    [
      'what a recorded number was handed to',
      'local n = checkpoint(function() return math.random(1000000) end)\nSleep(n % 7 + 1)\nFile.read("f" .. n)\nreturn n',
    ],
    [
      'an effect inside of a checkpoint',
      'return checkpoint(function() return File.read("f" .. math.random(1000000) .. os.time()) end)',
    ],
    [
      'what draws outside before it draws inside',
      'math.random() os.time()\nreturn checkpoint(function() return File.read("f" .. math.random(1000000)) end)',
    ],
    [
      'numbers of a seed that the procedure gives',
      'math.randomseed(42) return {math.random(), math.random(9)}',
    ],
    ['time that goes by', 'local since = os.time() Sleep(5) return os.time() - since'],
    ['the time of a given date', 'return {os.time({year = 2040, month = 1, day = 1}), os.date("%Y", 0)}'],
  ])('repeats %s', (_what, source) => {
    const { first, second } = again(source);
    expect(second.ended).toEqual(first.ended);
    expect(second.ended?.kind).toBe('completed');
    expect(second.performed).toEqual([]);
  });

  it.each([
    ['a random number', 'return math.random()'],
    ['the time', 'return os.time()'],
    ['the date', 'return os.date("%H:%M:%S %d.%m.%Y %A")'],
    ['the clock', 'return os.clock()'],
    ['numbers of no seed', 'math.randomseed() return math.random()'],
    ['a seed that is a random number', 'math.randomseed(math.random(1000000)) return math.random()'],
  ])('shows %s that nothing records', (_what, source) => {
    const { first, second } = again(source);
    expect(second.ended?.kind).toBe('completed');
    expect(second.ended).not.toEqual(first.ended);
  });

  it('is refused where an effect has another argument, with both', () => {
    const { error } = again('Sleep(1)\nFile.read("f" .. math.random(1000000))');
    expect(error).toMatchObject({ code: 'non_determinism', details: { position: '1', line: 2 } });
    const { error: other } = again('step("s", function() Sleep(math.random(100)) end)');
    expect(other?.message).toMatch(/now asks for sleep 'sleep \d+s' at 0\.0$/);
    const call = 'local t = Tool {name = "t", input = {n = "number"}, function(args) return args.n end}\n';
    const { error: third } = again(`${call}t({n = math.random(1000000)})`);
    expect(third?.message).toMatch(/with other arguments: {"n":\d+} then, {"n":\d+} now$/);
    expect(third?.details).toMatchObject({ file: 'main.tac', line: 2 });
  });
});
