import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../support/fake-host.js';

describe('System.alert', () => {
  it.each([
    [
      '{message = "full", level = "warning", source = "disk", context = {free = 1}}',
      'warning',
      { source: 'disk', context: { free: 1 } },
    ],
    ['{message = "full", level = "critical"}', 'error', null],
    ['{message = "full", level = "error", context = {n = 1}}', 'error', { n: 1 }],
    ['{message = "full"}', 'info', null],
  ])('of %s is a line of the log', (options, level, context) =>
    expect(runFake(`System.alert(${options}) return 1`).program.shown).toEqual([
      { kind: 'log', level, message: 'full', context },
    ]),
  );

  it('knows its levels', () =>
    expect(() => outputOf('System.alert{message = "x", level = "constructor"}')).toThrow(
      'the level must be one of info, warning, error, critical',
    ));
});

describe('Host.call', () => {
  it.each([
    ['Host.call("host.ping", {value = 1})', { ok: true, echo: { value: 1 } }],
    ['Host.call("host.echo")', { echo: [] }],
  ])('%s', (call, expected) => expect(outputOf(`return ${call}`)).toEqual(expected));

  it('refuses what the host has not', () =>
    expect(() => outputOf('Host.call("constructor")')).toThrow("the host has no 'constructor'"));
});

describe('checkpoints, as the procedure sees them', () => {
  it('can be read', () =>
    expect(
      outputOf(
        'checkpoint(function() return "a" end) return {Checkpoint.next_position(), Checkpoint.exists(0), Checkpoint.exists(1), Checkpoint.get(0)}',
      ),
    ).toEqual([1, true, false, 'a']));

  it.each(['clear_all()', 'clear_after(0)'])('can not be undone by Checkpoint.%s', (call) =>
    expect(() => outputOf(`Checkpoint.${call}`)).toThrow("can't clear its own checkpoints"),
  );
});

describe('names of the reference that stand for what is not there', () => {
  it.each(['Compactor {}'])('%s fails only where it is called', (call) => {
    expect(outputOf(`return (pcall(function() ${call} end))`)).toBe(false);
    expect(() => outputOf(call)).toThrow('is not there');
  });

  it('declarations of a file may set what bounds nothing', () =>
    expect(
      outputOf(
        'max_turns(5) async(true) return_prompt("r") error_prompt("e") status_prompt("s") Prompt("a", "b") return Prompt("a")',
      ),
    ).toBe('b'));

  it('names of the older dialect declare the same', () =>
    expect(
      outputOf(
        'hitl("go", {message = "Go?"}) mocks { search = {returns = 1} } prompt("a", "b") return {prompt("a"), (Human.approve{config_key = "go"})}',
      ),
    ).toEqual(['b', true]));
});

describe('utf8_clean', () => {
  it.each([
    ['"héllo"', 'héllo'],
    ['"a\\xffb"', 'a?b'],
    ['"\\xe2\\x82"', '??'],
    ['"\\xed\\xa0\\x80x"', '???x'],
    ['5', 5],
  ])('(%s)', (argument, expected) => expect(outputOf(`return utf8_clean(${argument})`)).toEqual(expected));
});

describe('debug and collectgarbage', () => {
  it.each([
    ['debug.traceback("oh")', 'oh\nstack traceback:\n\tmain.tac:1: in main chunk'],
    ['debug.traceback({1})', [1]],
    ['select(2, xpcall(error, debug.traceback, "x")):match("^x\\nstack traceback:") ~= nil', true],
    ['debug.getinfo == nil', true],
    ['collectgarbage("count")', 0],
    ['collectgarbage()', 0],
  ])('%s', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));
});
