import type { SeededRandom } from './seeded-random.js';

/** What stands before every random procedure. `note` keeps what was seen, in the order in which it was seen. */
export const prelude = `
local trace = {}
local function show(value) return type(value) == "table" and Json.encode(value) or tostring(value) end
local function note(...)
  local words = {}
  for i = 1, select("#", ...) do words[i] = show((select(i, ...))) end
  trace[#trace + 1] = table.concat(words, " ")
  if #trace % 3 == 0 then print(trace[#trace]) end
end
guess = Model {type = "mock", value = 1}
double = Tool {description = "doubles", input = {n = {type = "number"}}, function(args)
  if (args.n or 0) % 2 == 1 then Sleep(0.5) end
  return {doubled = (args.n or 0) * 2, at = os.time()}
end}
worker = Agent {model = "fake/model", tools = {double}, system_prompt = "You know {state.count}."}
helper = Procedure "helper" {input = {n = {type = "number", default = 1}}, function(input)
  State.increment("helped")
  if input.n > 1 then note("helping", guess({n = input.n}).output) end
  return {n = input.n, random = math.random(1000)}
end}
own = procedure "own" {state = {count = {type = "number", default = 10}}, function(input)
  state.count = state.count + 1
  Sleep(1)
  return state.count
end}
`;

const maxDepth = 4;

/** Writes a random procedure: nested loops, branches, protected calls, coroutines, frames, and effects in all of them. */
export function randomProcedure(random: SeededRandom): string {
  return new Writer(random, false).write();
}

/** The same, with words that give work up: races, and steps with attempts. */
export function racingProcedure(random: SeededRandom): string {
  return new Writer(random, true).write();
}

class Writer {
  private names = 0;
  /** Effects that the text can still come to; loops and branches multiply. */
  private budget = 60;

  /** @param isRacing left out of the others, so that a seed writes what it always has */
  constructor(
    private readonly random: SeededRandom,
    private readonly isRacing: boolean,
  ) {}

  write(): string {
    const body = this.block(0, 1);
    return `${prelude}\nmain = Procedure "main" {function(input)\n${body}\nreturn {trace = trace, random = math.random(1000), time = os.time()}\nend}\n`;
  }

  private block(depth: number, times: number): string {
    const count = 1 + this.random.below(depth === 0 ? 6 : 3);
    return Array.from({ length: count }, () => this.statement(depth, times)).join('\n');
  }

  private statement(depth: number, times: number): string {
    const isLeaf = depth >= maxDepth || this.budget < times * 2 || this.random.chance(0.45);
    return isLeaf ? this.leaf(times) : this.nest(depth + 1, times);
  }

  private name(): string {
    return `x${++this.names}`;
  }

  /** An expression that asks for an effect, or for several. */
  private effect(times: number): string {
    this.budget -= times;
    const name = this.name();
    const number = this.random.below(4);
    return this.random.pick([
      `Sleep(${number})`,
      `File.read("${name}.txt")`,
      `File.exists("${name}.txt")`,
      `guess({n = ${number}, name = "${name}"}).output`,
      `Human.input{message = "${name}?", context = {n = ${number}}}`,
      `Human.approve("${name}?")`,
      `Procedure.run("other.tac", {n = ${number}})`,
      `Procedure.wait(Procedure.spawn("other.tac", {n = ${number}}))`,
      `Procedure.is_complete(Procedure.spawn("${name}.tac"))`,
      `Human.select{message = "${name}?", options = {"answer", "b"}}`,
      `helper({n = ${number}})`,
      `own({})`,
      `double({n = ${number}})`,
      `worker("${name}").output`,
      `Agent.run{prompt = "${name}"}.output`,
    ]);
  }

  private leaf(times: number): string {
    const name = this.name();
    return this.random.pick([
      () => `note("${name}", ${this.effect(times)})`,
      () => `note("${name}", ${this.effect(times)})`,
      () => `note("${name}", ${this.effect(times)})`,
      () => `note("${name}", select(2, pcall(function() return ${this.effect(times)} end)))`,
      () => `state.count = (state.count or 0) + 1`,
      () => `State.append("list", "${name}") Log.info("${name}", {count = state.count})`,
      () => `note("${name}", math.random(100), os.time(), Checkpoint.next_position())`,
      () => `checkpoint()`,
      () =>
        `do local sum = 0 for i = 1, ${10 + this.random.below(800)} do sum = sum + i % 7 end note("${name}", sum) end`,
      () => `note("${name}", ("text"):rep(${this.random.below(50)}):gsub("t", {t = "T"}))`,
      () => `if math.random(10) > 8 then error("${name}") end`,
      () => `if #trace % 7 == 6 then error({message = "${name}", code = #trace}) end`,
    ])();
  }

  private nest(depth: number, times: number): string {
    const name = this.name();
    const inside = (more = 1): string => this.block(depth, times * more);
    const few = 1 + this.random.below(3);
    if (this.isRacing && this.random.chance(0.4)) return this.race(name, inside);
    return this.random.pick([
      () => `for i${depth} = 1, ${few} do\n${inside(few)}\nend`,
      () => `note("${name}", pcall(function()\n${inside()}\nreturn "fine"\nend))`,
      () =>
        `note("${name}", xpcall(function()\n${inside()}\nend, function(message) return "handled " .. show(message) end))`,
      () => `note("${name}", step("${name}", function()\n${inside()}\nreturn ${few}\nend))`,
      () => `note("${name}", checkpoint(function()\n${inside()}\nreturn {n = ${few}, at = os.time()}\nend))`,
      () =>
        `note("${name}", Parallel{${Array.from({ length: few }, (_, i) => `function()\n${inside()}\nreturn ${i}\nend`).join(', ')}})`,
      () =>
        `note("${name}", pcall(Parallel, {${Array.from({ length: few }, (_, i) => `function()\n${inside()}\nreturn ${i}\nend`).join(', ')}}))`,
      () =>
        `note("${name}", Parallel.map({5, 6, 7}, function(item, i)\n${inside(3)}\nreturn item + i\nend, {concurrency = ${few}}))`,
      () =>
        `note("${name}", select(2, pcall(Retry.with_backoff, function()\n${inside(2)}\nreturn "tried"\nend, {max_attempts = 2})))`,
      () => this.coroutine(name, inside),
      () => this.iterator(name, inside),
      () => this.metamethods(name, times),
    ])();
  }

  private race(name: string, inside: (more?: number) => string): string {
    const few = 1 + this.random.below(3);
    const branches = (): string =>
      `{${Array.from({ length: few }, (_, i) => `function()\n${inside()}\nreturn ${i}\nend`).join(', ')}}`;
    return this.random.pick([
      () => `note("${name}", pcall(Parallel.race, ${branches()}))`,
      () => `note("${name}", pcall(Parallel.race, ${branches()}, {concurrency = ${few}}))`,
      () => `note("${name}", Parallel.all_settled(${branches()}, {concurrency = ${few}}))`,
      () =>
        `note("${name}", step("${name}", function()\n${inside(few)}\nreturn "tried"\nend, {retries = ${few}, backoff = 2, on_error = function(e, n)\n${inside()}\nreturn n end}))`,
      () =>
        `note("${name}", pcall(step, "${name}", function()\n${inside()}\nreturn "in time"\nend, {timeout = ${few}}))`,
      () =>
        `note("${name}", step("${name}", function()\n${inside(2)}\nreturn "tried"\nend, {retries = 1, timeout = ${few}, on_error = "none"}))`,
    ])();
  }

  private coroutine(name: string, inside: () => string): string {
    return `do
local co = coroutine.create(function(first)
  note("${name} got", first)
${inside()}
  local second = coroutine.yield("yielded", first)
  note("${name} got", second)
${inside()}
  return "returned"
end)
note("${name} first", coroutine.resume(co, 1))
${this.random.chance(0.5) ? inside() : ''}
note("${name} status", coroutine.status(co))
note("${name} second", coroutine.resume(co, 2))
note("${name} third", coroutine.resume(co, 3))
end`;
  }

  private iterator(name: string, inside: () => string): string {
    return `for value in coroutine.wrap(function()
  for i = 1, 2 do
${inside()}
    coroutine.yield(i)
  end
end) do
  note("${name}", value)
${inside()}
end`;
  }

  private metamethods(name: string, times: number): string {
    const effect = (): string => this.effect(times);
    return `do
local t = setmetatable({}, {
  __index = function(_, key) return {key, ${effect()}} end,
  __add = function(a, b) return show(${effect()}) end,
  __call = function(_, x) return x, ${effect()} end,
  __eq = function() return ${effect()} ~= nil end,
})
note("${name}", t.key, t + 1, t(2), t == setmetatable({}, getmetatable(t)))
end`;
  }
}
