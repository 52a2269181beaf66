import { prelude } from './random-procedure.js';
import type { SeededRandom } from './seeded-random.js';

/** Writes a random procedure of parts whose log a snapshot may stand for: whole steps, whole procedures and graphs. */
export function wholeProcedure(random: SeededRandom): string {
  const parts = Array.from({ length: 2 + random.below(4) }, (_, i) => part(random, i));
  return `${prelude}
${parts.map(({ declared }) => declared).join('\n')}
main = Procedure "main" {function(input)
  Sleep(1)
  ${parts.map(({ call }) => `note(${call}) ${random.chance(0.5) ? 'Sleep(1)' : ''}`).join('\n  ')}
  local keys = {}
  for key, value in pairs(state) do keys[#keys + 1] = tostring(key) .. "=" .. show(value) end
  note(keys, #MessageHistory.get(), Tool.call_count("double"), Session.slice("seen").all())
  return {trace = trace, random = math.random(1000), time = os.time(), clock = os.clock()}
end}`;
}

interface Part {
  declared: string;
  call: string;
}

function part(random: SeededRandom, i: number): Part {
  const kind = random.pick(['step', 'procedure', 'graph'] as const);
  const lines = (): string => Array.from({ length: 1 + random.below(5) }, () => line(random)).join('\n');
  const loop = `local n = ${i}
    for i = 1, ${1 + random.below(14)} do
      n = n + 1
      ${lines()}
    end
    return {n = n, chance = math.random(100)}`;
  if (kind === 'step')
    return { declared: '', call: `(step("part ${i}", function() ${loop} end, {whole = true}))` };
  if (kind === 'procedure')
    return {
      declared: `part${i} = Procedure "part${i}" {whole = true, function(input) ${loop} end}`,
      call: `(select(2, pcall(part${i}, {})))`,
    };
  const rounds = 1 + random.below(60);
  return {
    declared: `part${i} = Graph {
      channels = {n = Graph.last, list = Graph.bounded(${1 + random.below(4)}), sum = function(a, b) return (a or 0) + b end},
      entrypoint = "a", max_steps = 1000,
      nodes = {
        a = function(values) local n, i = values.n or 0, 1 ${lines()} return {writes = {n = n + 1, sum = 0.5}, next = {"b", "c"}} end,
        b = function(values) local n, i = values.n, 2 ${lines()} return {writes = {list = {n}}, next = n < ${rounds} and "a" or nil} end,
        c = function(values) local n, i = values.n, 3 ${lines()} return {writes = {list = {-n}}} end,
      },
    }`,
    call: `(select(2, pcall(function() return part${i}({}).values end)))`,
  };
}

/** A line in a function with the locals n and i; it changes nothing outside but what a snapshot has. */
function line(random: SeededRandom): string {
  const number = random.below(9);
  return random.pick([
    `Sleep(${1 + number})`,
    `checkpoint(function() return {n = n, text = ("x"):rep(${40 * number})} end)`,
    `checkpoint()`,
    `state.count = (state.count or 0) + ${number}`,
    `state.half = n / 2`,
    `state["key " .. (n % 4)] = i % 3 ~= 0 and {n, {at = os.time()}} or nil`,
    `state.list = state.list or {} table.insert(state.list, math.random(${number + 1}))`,
    `if #(state.list or {}) > 5 then state.list = nil end`,
    `print("line ${number} " .. n)`,
    `pcall(double, {n = ${number}})`,
    `pcall(worker, "say ${number}")`,
    `pcall(guess, {n = n})`,
    `helper{}`,
    `own()`,
    `State.increment("raised")`,
    `Session.slice("seen").append({n = n})`,
    `pcall(Parallel, {function() Sleep(1) return 1 end, function() Sleep(2) return math.random(5) end})`,
    `pcall(Parallel.race, {function() Sleep(1) return 1 end, function() Sleep(2) return math.random(5) end})`,
    `pcall(function() Sleep(1) error({code = ${number}}) end)`,
    `if i == ${5 + number} then error("no more") end`,
  ]);
}
