import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes, TactusError, type ErrorCode } from '../../../../src/contract/errors.js';
import { answerOf, outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

const failing = (code: ErrorCode, message = `it says ${code}`): FakeOptions => ({
  perform: () => {
    throw new TactusError(code, message);
  },
});

/** What a caught call gives: its code, and its text. */
const caught = (call: string): string => `
worker = Agent { model = "openai/x" }
mood = Model { type = "http", endpoint = "http://127.0.0.1:1/" }
Procedure { function()
  local ok, err = pcall(function() return ${call} end)
  return { ok = ok, code = Error.code(err), text = tostring(err) }
end }`;

describe('Error.code', () => {
  it.each<[string, ErrorCode]>([
    ['worker("hi")', 'model_call_failed'],
    ['worker("hi")', 'missing_key'],
    ['worker("hi")', 'budget_exhausted'],
    ['mood.predict({})', 'predict_failed'],
    ['http_client.get("https://example.com")', 'http_failed'],
    ['http_client.get("https://example.com")', 'egress_denied'],
    ['File.read("a")', 'file_failed'],
    ['Human.approve("Go?")', 'request_withdrawn'],
    ['Human.approve("Go?")', 'wait_timed_out'],
    ['Procedure.run("child.tac", {})', 'child_failed'],
    ['Event.wait("paid")', 'input_invalid'],
    ['require("tactus.io.csv").read("a.csv")', 'payload_too_large'],
  ])('tells of %s what failed: %s', (call, code) => {
    const files = { 'child.tac': 'Procedure { function() return 1 end }' };
    const output = outputOf(caught(call), { ...failing(code), files });
    expect(output).toMatchObject({ ok: false, code });
    expect((output as { text: string }).text).toContain(`it says ${code}`);
  });

  it.each([
    ['Json.decode("{")', 'value_not_json'],
    ['Json.encode(print)', 'value_not_json'],
    ['Human.approve()', 'human_request_invalid'],
    ['table.sort({ 2, 1, 3 }, function(a, b) return File.read("a") < b end)', 'not_yieldable'],
    ['error("my own")', undefined],
    ['nothing.at.all', undefined],
    ['string.rep()', undefined],
    ['error({ code = "tool_failed" })', undefined],
    ['error()', undefined],
  ])('of %s is %s', (call, code) => {
    const output = outputOf(caught(call)) as { ok: boolean; code?: string };
    expect([output.ok, output.code]).toEqual([false, code]);
  });

  it('stays with an error on its way, until words are put before it', () => {
    const source = `
local function fails() File.read("a") end
local function codeAfter(again)
  local _, first = pcall(fails)
  local _, second = pcall(again, first)
  return Error.code(second) or "none"
end
Procedure { function()
  local codes = {}
  local function add(code) codes[#codes + 1] = code or "none" end
  add(codeAfter(function(err) error(err) end))
  add(codeAfter(function(err) error(err, 0) end))
  add(codeAfter(function(err) error(err, 2) end))
  add(codeAfter(function(err) error("main.tac:1: main.tac:2: " .. err) end))
  add(codeAfter(function(err) error("while x: " .. err) end))
  add(codeAfter(function(err) error(err .. " after all") end))
  xpcall(fails, function(err) add(Error.code(err)) end)
  local thread = coroutine.create(fails)
  add(Error.code(select(2, coroutine.resume(thread))))
  add(Error.code(select(2, pcall(coroutine.wrap(fails)))))
  add(Error.code(select(2, pcall(Parallel, { fails }))))
  add(Error.code(select(2, pcall(Retry.with_backoff, fails, { max_attempts = 2, initial_delay = 0 }))))
  add(Error.code(select(2, pcall(Step.checkpoint, fails))))
  add(Error.code(select(2, pcall(function() return setmetatable({}, { __index = fails }).x end))))
  add(Error.code(nil)) add(Error.code(12)) add(Error.code("a doesn't exist?"))
  return codes
end }`;
    const options = failing('file_failed', "a doesn't exist");
    const file = 'file_failed';
    const output = outputOf(source, {
      perform: (effect, request) =>
        effect.kind === 'file' ? (options.perform?.(effect, request) ?? null) : answerOf(effect, request),
    });
    expect(output).toEqual([
      ...[file, file, file, file, 'none', 'none'],
      ...[file, file, file, file, file, file, file, 'none', 'none', 'none'],
    ]);
  });

  it('leaves the text as it was', () => {
    const source = `
Procedure { function()
  local _, err = pcall(File.read, "a")
  return {
    type = type(err), same = err == "a doesn't exist", found = err:find("exist", 1, true),
    matched = tostring(err):match("^a (%S+)"), joined = "x" .. err, length = #err,
  }
end }`;
    expect(outputOf(source, failing('file_failed', "a doesn't exist"))).toEqual({
      ...{
        type: 'string',
        same: true,
        found: 11,
        matched: "doesn't",
        joined: "xa doesn't exist",
        length: 15,
      },
    });
  });

  it('is the same where recorded failures are replayed', () => {
    const source = `
Procedure { function()
  local codes = {}
  for i = 1, 3 do
    local _, err = pcall(File.read, "a" .. i)
    codes[i] = Error.code(err)
  end
  codes[4] = Human.approve("Go on?") and "yes" or "no"
  return codes
end }`;
    const codes: ErrorCode[] = ['file_failed', 'payload_too_large', 'file_failed'];
    let count = 0;
    const first = runFake(source, {
      perform: (effect, request) => {
        if (effect.kind === 'file') throw new TactusError(codes[count++] ?? 'internal', 'the same words');
        return answerOf(effect, request);
      },
    });
    expect(first.ended).toEqual({ kind: 'completed', output: [...codes, 'yes'] });
    const again = runFake(source, {
      carried: first.program.log.entries.slice(0, 3),
    });
    expect(again.performed).toHaveLength(1);
    expect(again.ended).toEqual(first.ended);
  });

  it('tells long texts apart, and forgets only what was long ago', () => {
    const long = 'x'.repeat(50_000);
    expect(outputOf(caught('File.read("a")'), failing('file_failed', long))).toMatchObject({
      code: 'file_failed',
    });
    const source = `
Procedure { function()
  local errors = {}
  for i = 1, 1100 do
    local _, err = pcall(Json.decode, "{" .. i)
    errors[i] = err
  end
  return { old = Error.code(errors[1]) == nil, new = Error.code(errors[1100]), other = Error.code("x" .. errors[1100]) == nil }
end }`;
    expect(outputOf(source)).toEqual({ old: true, new: 'value_not_json', other: true });
  });
});

describe('Error', () => {
  it('is nothing to runs that began before', () => {
    const source = 'return { none = Error == nil }';
    expect(outputOf(source, { engine: 8 })).toEqual({ none: true });
    expect(outputOf(source)).toEqual({ none: false });
  });

  it.each([
    'Error = { new = function(text) return { text = text } end }',
    'Error = Error or {}\nfunction Error.new(text) return { text = text } end',
    'function Error.new(text) return { text = text } end',
    'local Error = { new = function(text) return { text = text } end }',
  ])('that a procedure defines is the one that it has: %s', (definition) => {
    expect(outputOf(`${definition}\nreturn Error.new("mine")`)).toEqual({ text: 'mine' });
  });
});

it('the codes that types/ names are those that can be caught', () => {
  const alias = readFileSync(join(import.meta.dirname, '../../../../types/errors.lua'), 'utf8');
  const named = [...alias.matchAll(/^---\| "([a-z_]+)"$/gm)].map(([, name]) => name);
  const catchable = Object.entries(errorCodes).flatMap(([code, each]) => (each.catchable ? [code] : []));
  expect(named).toEqual(catchable.filter((code) => code !== 'lua_error'));
});
