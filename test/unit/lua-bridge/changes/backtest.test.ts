import { describe, expect, it } from 'vitest';
import { Backtest, type BacktestFinding } from '../../../../src/lua-bridge/changes/backtest.js';
import { programOptions } from '../../../support/fake-host.js';
import { procedure, record, wait, type RecordOptions } from './proof.fixture.js';

/** What the log of one source says of another. */
function backtest(before: string, after: string, options: RecordOptions = {}): BacktestFinding {
  const { log } = record(before, options);
  const given = (source: string) => programOptions(source, { ...options, carried: log });
  const test = new Backtest({ log, before: given(before), after: given(after) });
  for (;;) {
    const finding = test.advance();
    if (finding !== null) return finding;
  }
}

const read = `    local text = File.read("a.txt")\n`;
const returns = (value: string): string => procedure(`${read}    return { text = text, n = ${value} }`);

describe('a log that the new source comes by', () => {
  it('is the same where output, state and end are', () => {
    const edited = returns('1').replace('local text', 'local text --[[ edited ]]');
    expect(backtest(returns('1'), edited)).toEqual({ verdict: 'same' });
  });

  it('tells both outputs where they differ', () => {
    expect(backtest(returns('1'), returns('2'))).toMatchObject({
      verdict: 'differs',
      before: { status: 'completed', output: { text: 'content of a.txt', n: 1 } },
      after: { status: 'completed', output: { text: 'content of a.txt', n: 2 } },
    });
  });

  it('tells both states where they differ', () => {
    const sets = (value: string): string => procedure(`${read}    state.mood = "${value}"\n    return 1`);
    expect(backtest(sets('good'), sets('bad'))).toMatchObject({
      verdict: 'differs',
      before: { output: 1, state: { mood: 'good' } },
      after: { output: 1, state: { mood: 'bad' } },
    });
  });

  it('differs where the run failed, and the new source does not, or fails in another way', () => {
    const fails = procedure(`${read}    error("no " .. text)`);
    expect(backtest(fails, returns('1'))).toMatchObject({
      verdict: 'differs',
      before: { status: 'failed', error: { code: 'lua_error' } },
      after: { status: 'completed' },
    });
    const otherwise = procedure(`${read}    error("never " .. text)`);
    expect(backtest(fails, otherwise)).toMatchObject({
      verdict: 'differs',
      after: { status: 'failed', error: { message: expect.stringContaining('never content') as unknown } },
    });
  });

  it('is the same where both fail alike, whatever the line is', () => {
    const fails = procedure(`${read}    error("no " .. text)`);
    expect(backtest(fails, procedure(`${read}\n\n    error("no " .. text)`))).toEqual({ verdict: 'same' });
  });

  it('is the same where both wait for the same', () => {
    expect(backtest(procedure(read + wait), procedure(`${read}\n${wait}`))).toEqual({ verdict: 'same' });
  });
});

describe('a log that the new source does not come by', () => {
  it('says where it asks for something else, with its line', () => {
    expect(backtest(returns('1'), returns('1').replace('a.txt', 'b.txt'))).toMatchObject({
      verdict: 'diverges',
      position: '0',
      line: 5,
      expected: { name: 'read a.txt' },
      found: { name: 'read b.txt' },
    });
  });

  it('says what it asks for behind the end of the log', () => {
    const more = procedure(`${read}    File.read("more.txt")\n    return { text = text, n = 1 }`);
    expect(backtest(returns('1'), more)).toMatchObject({
      verdict: 'diverges',
      position: '1',
      line: 6,
      expected: null,
      found: { position: '1', type: 'file', name: 'read more.txt' },
      message: expect.stringContaining('Nothing is recorded at position 1') as unknown,
    });
  });

  it('names the frame that is new behind the end, and not what is in it', () => {
    const more = procedure(`${read}    step("more", function() File.read("more.txt") end)\n    return 1`);
    const found = backtest(returns('1'), more);
    expect(found).toMatchObject({
      verdict: 'diverges',
      position: '1',
      found: { type: 'step', name: 'more' },
    });
    const pure = procedure(`${read}    step("more", function() end)\n    return { text = text, n = 1 }`);
    expect(backtest(returns('1'), pure)).toMatchObject({ verdict: 'diverges', position: '1', line: 6 });
  });

  it('says what a run waited for that the new source asks for in another way, or no longer', () => {
    const waits = procedure(read + wait);
    expect(backtest(waits, waits.replace('Go?', 'Stop?'))).toMatchObject({
      verdict: 'diverges',
      position: '1',
      line: 6,
      expected: { name: 'Go?' },
      found: { name: 'Stop?' },
    });
    expect(backtest(waits, procedure(`${read}    return 1`))).toMatchObject({
      verdict: 'diverges',
      position: '1',
      line: null,
      expected: { name: 'Go?' },
    });
  });

  it('says what is recorded and no longer asked for', () => {
    expect(backtest(returns('1'), procedure('    return 1'))).toMatchObject({
      verdict: 'diverges',
      position: '0',
      line: null,
    });
  });
});

describe('a source that fails', () => {
  it('is told with its line, and the checkpoint that it no longer comes to', () => {
    const fails = procedure('    local x = nil .. "a"\n    return x');
    expect(backtest(returns('1'), fails)).toMatchObject({
      verdict: 'failed',
      position: '0',
      error: { code: 'lua_error', line: 5 },
      before: { status: 'completed', output: { n: 1 } },
    });
  });

  it('fails behind the end of the log, too', () => {
    const fails = procedure(`${read}    error("too late")`);
    expect(backtest(returns('1'), fails)).toMatchObject({
      verdict: 'failed',
      position: null,
      error: { line: 6 },
    });
  });

  it('fails where it fails as the run did, but earlier', () => {
    const late = procedure(`${read}    error("no")`);
    expect(backtest(late, procedure(`    error("no")\n${read}`))).toMatchObject({
      verdict: 'failed',
      position: '0',
    });
  });

  it('fails where it cannot be loaded, and where it wants another input', () => {
    expect(backtest(returns('1'), 'Procedure {')).toMatchObject({
      verdict: 'failed',
      error: { code: 'source_invalid' },
    });
    const wants = returns('1').replace(
      'function(input)',
      'input = { who = field.string { required = true } }, function(input)',
    );
    expect(backtest(returns('1'), wants)).toMatchObject({
      verdict: 'failed',
      error: { code: 'input_invalid' },
    });
  });
});
