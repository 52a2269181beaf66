import { expect, it } from 'vitest';
import { newestEngine } from '../../../src/contract/engine.js';
import { runFake } from '../../support/fake-host.js';

const source = `
  local digits, plain = ("1"):rep(200), ("x"):rep(100000)
  local n = 0
  for i = 1, 50 do
    n = n + #tostring(i / 7) + tonumber(digits) * 0
    local t = {[plain] = i}
    n = n + t[plain] + #os.date("%c %Y", i) + #utf8.char(i, 8364) + #Json.encode({plain, [plain] = 1})
    pcall(string.find, "x", "[" .. plain)
    table.pack(1, 2, 3)
    local _ = Json[plain]
    Log.info(plain, {a = plain})
  end
  state.words = {plain}
  for i = 1, 10 do Sleep(i) end
  return n`;

function used(engine: number | undefined): { used: number; slices: number } {
  const { program, slices } = runFake(source, {
    limits: { sliceInstructions: 50_000 },
    ...(engine === undefined ? {} : { engine }),
  });
  const { meter } = (program as unknown as { bridge: { meter: { used: number } } }).bridge;
  return { used: meter.used, slices };
}

it('a run that was started on engine 1 is counted as 0.1.0 counted it', () => {
  expect(used(1)).toEqual({ used: 11_421_855, slices: 101 });
});

it('the newest engine charges for sizes as well', () => {
  expect(newestEngine).toBe(10);
  expect(used(undefined).slices).toBe(used(2).slices);
  expect(used(undefined).used).toBeGreaterThanOrEqual(used(2).used);
  expect(used(2).used).toBeGreaterThan(used(1).used * 1.1);
});
