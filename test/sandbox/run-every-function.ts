/**
 * Calls every function that a procedure can reach with values of every kind, in a process of its own, and writes a
 * `Findings` to standard output: what took longer, or more memory, than was charged for it, and what broke.
 */
import { getHeapStatistics } from 'node:v8';
import type { Program } from '../../src/lua-bridge/index.js';
import type { TactusError } from '../../src/contract/errors.js';
import type { RunMeter } from '../../src/lua-bridge/vm/meter.js';
import { literal, lua, type LuaState } from '../../src/lua-bridge/vm/fengari.js';
import { SeededRandom } from '../fuzz/seeded-random.js';
import { answerOf, fakeProgram, outcomeOf, runFake, runStart } from '../support/fake-host.js';
import type { Findings } from './findings.js';
import { hostileValues } from './hostile-values.js';
import { reachableFunctions } from './reachable-functions.js';

/** How much longer than a plain instruction a charged one may take, and what one call may take beside. */
const mostRatio = 12;
const slackMs = 2;
/** Memory for each byte that was charged, and beside that. */
const mostBytesRatio = 6;
const slackBytes = 48 * 1024 * 1024;
/** What takes too long only many times over is called so often with these. */
const small = ['word', 'empty', 'one', 'minus', 'half', 'most', 'least', 'huge', 'tiny', 'yes', 'call'];
const manyTimes = 200;
/** Calls that look suspicious are repeated: a pause of the collector is none of the function's doing. */
const mostRepeats = 12;

/** How many of the calls are made: all of them take minutes. */
const share = Number(process.argv[2] ?? 1);

const random = new SeededRandom(Number(process.argv[3] ?? 7));
const { prelude, functions } = reachableFunctions();
const findings: Findings = {
  calls: 0,
  functions: functions.length,
  slow: [],
  large: [],
  broken: [],
  worstMs: 0,
};
const plainNs = measurePlain();

interface Call {
  arguments: string[];
}

for (const name of functions) sweep(name, someOf(callsOf(), isOfLua(name) ? 2 * share : share));
process.stdout.write(JSON.stringify(findings));

function measurePlain(): number {
  plainRun(1_000_000);
  return Math.max(plainRun(1_000_000), plainRun(1_000_000));
}

/** One instruction of a plain loop as the machine is now, in ns. */
function plainRun(loops: number): number {
  const start = process.hrtime.bigint();
  const { program } = runFake(`local n = 0 for i = 1, ${loops} do n = n + i % 7 end return n`);
  return Number(process.hrtime.bigint() - start) / meterOf(program).used;
}

/** Whether a call took longer than was charged for it; on a machine that is busy just now, both are slower. */
function tookTooLong(ms: number, used: number): boolean {
  const isSlow = (ns: number): boolean => ms > (slackMs * ns) / plainNs + (mostRatio * used * ns) / 1e6;
  return isSlow(plainNs) && isSlow(Math.max(plainNs, plainRun(100_000)));
}

function meterOf(program: Program): RunMeter {
  return (program as unknown as { bridge: { meter: RunMeter } }).bridge.meter;
}

/** Each value alone, and by chance in twos and threes. */
function callsOf(): Call[] {
  const names = [...hostileValues.matchAll(/^ {2}([a-z]+) = function|^(?:add|constant)\("(\w+)"/gm)].map(
    ([, text, other]) => text ?? other ?? '',
  );
  const calls: Call[] = [{ arguments: [] }, ...names.map((value) => ({ arguments: [value] }))];
  for (let i = 0; i < 10; i++) calls.push({ arguments: [random.pick(small), random.pick(small)] });
  for (let i = 0; i < 40; i++) calls.push({ arguments: [random.pick(names), random.pick(names)] });
  for (let i = 0; i < 20; i++)
    calls.push({ arguments: [random.pick(names), random.pick(names), random.pick(names)] });
  return calls;
}

/** What Lua itself brings is called the most. */
function isOfLua(name: string): boolean {
  return /^(?!_G)|^_G\["(?:[a-z0-9]+|Json)"\]/.test(name);
}

function someOf(calls: Call[], part: number): Call[] {
  return calls.filter(() => random.chance(part));
}

/** Calls one function in each way; where a call ends the run, another run goes on behind it. */
function sweep(name: string, calls: Call[]): void {
  for (let from = 0; from < calls.length;) from = sweepFrom(name, calls, from);
}

function sweepFrom(name: string, calls: Call[], from: number): number {
  let at = from;
  const list = calls
    .slice(from)
    .map(
      (call) =>
        `{times = ${call.arguments.every((each) => small.includes(each)) ? manyTimes : 1}, ${call.arguments.map((each) => `"${each}"`).join(', ')}}`,
    );
  const source = `${hostileValues} ${/modules|loaded/.test(name) ? prelude : ''}
local f = ${name}
for i, call in ipairs{${list.join(', ')}} do
  local function again()
    start(i)
    local given = {}
    for n, value in ipairs(call) do given[n] = values[value]() end
    start(i)
    for n = 1, call.times do pcall(f, table.unpack(given, 1, #call)) end
    return stop(i)
  end
  while again() do end
end`;
  const program = fakeProgram(source, {
    limits: {
      sliceInstructions: 1_000_000,
      idleInstructions: 3_000_000,
      overdraftInstructions: 3_000_000,
      totalInstructions: 1e12,
    },
  });
  const meter = meterOf(program);
  const { L } = (program as unknown as { bridge: { L: LuaState } }).bridge;
  let began = { time: 0n, used: 0, bytes: 0, heap: 0 };
  let repeats = 0;
  let slowest = Infinity;
  const end = (): boolean => {
    findings.calls++;
    const ms = Number(process.hrtime.bigint() - began.time) / 1e6;
    const used = meter.used - began.used;
    const bytes = memory() - began.bytes;
    const charged = Math.max(0, began.heap - L.l_G.heap);
    const isSlow = tookTooLong(ms, used);
    const isLarge = bytes > slackBytes + mostBytesRatio * charged;
    slowest = Math.min(slowest, (ms / (used * plainNs)) * 1e6);
    const described = `${name}(${(calls[at]?.arguments ?? []).join(', ')})`;
    if (!isSlow && !isLarge) {
      repeats = 0;
      slowest = Infinity;
      return false;
    }
    if (++repeats < mostRepeats && ms < 1_000) return true;
    if (isSlow) findings.slow.push({ call: described, ms: Math.round(ms), used, ratio: Math.round(slowest) });
    if (isLarge) findings.large.push({ call: described, bytes, charged });
    repeats = 0;
    slowest = Infinity;
    return false;
  };
  const set = (key: string, fn: (thread: LuaState) => number): void => {
    lua.lua_pushcfunction(L, fn);
    lua.lua_setglobal(L, literal(key));
  };
  set('start', (thread) => {
    at = from + lua.lua_tointeger(thread, 1) - 1;
    meter.effectSettled();
    began = { time: process.hrtime.bigint(), used: meter.used, bytes: memory(), heap: L.l_G.heap };
    return 0;
  });
  set('stop', (thread) => {
    lua.lua_pushboolean(thread, end());
    return 1;
  });
  at = from - 1;
  try {
    const ended = run(program);
    if (ended === null || ended.kind === 'completed') return calls.length;
    const isOfCall = at >= from;
    if (isOfCall) end();
    else findings.broken.push(`${name}: ${ended.error.message}`);
    return isOfCall ? at + 1 : calls.length;
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    findings.broken.push(`${name}(${(calls[at]?.arguments ?? []).join(', ')}): ${text.slice(0, 600)}`);
    return Math.max(at, from) + 1;
  }
}

function run(program: Program): { kind: 'completed' } | { kind: 'failed'; error: TactusError } | null {
  for (let at = runStart; ; at += 1_000) {
    const begun = process.cpuUsage();
    const turn = program.turn();
    const { user, system } = process.cpuUsage(begun);
    if ((user + system) / 1e3 > findings.worstMs) findings.worstMs = (user + system) / 1e3;
    if (turn.kind === 'slice') continue;
    if (turn.kind !== 'blocked') return turn;
    const [request] = program.pending;
    if (request === undefined) return null;
    program.settle(request.position, outcomeOf(answerOf, request), at);
  }
}

function memory(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}
