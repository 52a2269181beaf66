import { digestOf } from '../../src/contract/effects/digest.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { seededRandom } from './seeded-random.js';

export type Random = () => number;

export const agentNames = ['Writer', 'Critic'] as const;
export const eventNames = ['page', 'stop'] as const;

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

/** A number from 0 up to `below` that a text decides: the same place is answered alike, whenever its turn comes. */
export function numberOf(text: string, below: number): number {
  return Number.parseInt(digestOf(text).slice(-8), 16) % below;
}

/**
 * A procedure in which people, models with budgets, events, timers, branches, child runs and errors meet by chance. What its models,
 * people and events give decides where it goes. Every wait ends: by a decision, an event or a time.
 * @param second how long it sleeps where it sleeps for a second, in s
 */
export function randomProcedure(seed: number, second = 1): ProcedureSource {
  const random = seededRandom(seed);
  const main = procedureText(random, second, 3);
  return { entry: 'main.tac', files: { 'main.tac': main, 'child.tac': procedureText(random, second, 1) } };
}

/** @param depth how deep it is nested; one of depth 1 starts no child runs */
function procedureText(random: Random, second: number, depth: number): string {
  let asked = 0;
  const onExhausted = (): string => pick(random, ['ask', 'ask', 'error', 'stop']);
  const budget = (): string =>
    `budget = { tokens = ${20 + Math.floor(random() * 200)}, on_exhausted = "${onExhausted()}" }`;
  const maybe = (text: string): string => (random() < 0.5 ? text : '');
  const block = (depth: number, most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => step(depth)).join('\n');
  const fn = (depth: number): string => `function() ${block(depth - 1, 3)} return "branch" end`;
  const work = (depth: number): string =>
    `function() ${block(depth - 1, 2)} ${maybe('error("again")')} return 1 end`;
  const turn = (): string =>
    `say(${pick(random, agentNames)}({ message = "go ${++asked}", ${maybe(budget())} }))`;
  const leaves: (() => string)[] = [
    turn,
    turn,
    () => `say(Human.approve({ message = "go on ${++asked}?" }))`,
    () => `say(Human.input({ message = "what ${++asked}?" }))`,
    () => `Sleep(${second * (1 + Math.floor(random() * 3))})`,
    () => `say(Event.wait("${pick(random, eventNames)}"))`,
    () => `say(Human.select({ message = "which ${++asked}?", options = { "a", "b", "c" } }))`,
    () => `state.count = (state.count or 0) + 1 print("count", state.count)`,
    () => `Procedure.label("kind", "k${++asked}") Procedure.score("good", ${random() < 0.5})`,
    () => `say(Experiment.variant("tone_${1 + Math.floor(random() * 2)}", { "plain", "warm" }))`,
  ];
  const children: (() => string)[] = [
    () => `say(pcall(Procedure.run, "child.tac", { n = ${++asked} }))`,
    () => {
      const name = `child${++asked}`;
      return `local ${name} = Procedure.spawn("child.tac", {}) ${turn()} say(pcall(Procedure.wait, ${name}))`;
    },
  ];
  if (depth > 1) leaves.push(...children);
  const nodes: ((depth: number) => string)[] = [
    (depth) => `say(pcall(Parallel, { ${fn(depth)}, ${fn(depth)}, ${maybe(`${fn(depth)}, `)} }))`,
    (depth) => `say(pcall(Parallel, { ${fn(depth)}, function() Sleep(${2 * second}) error("no") end }))`,
    (depth) => `pcall(function() ${block(depth - 1, 2)} ${maybe('error("stopped")')} end)`,
    (depth) => `step("part ${++asked}", function() ${block(depth - 1, 2)} return 1 end)`,
    (depth) =>
      `say(pcall(Parallel.map, { "a", "b", "c" }, function(item) ${block(depth - 1, 2)} return item end))`,
    (depth) => `say(pcall(Parallel.race, { ${fn(depth)}, ${fn(depth)} }))`,
    (depth) =>
      `say(pcall(Parallel.all_settled, { ${fn(depth)}, function() ${block(depth - 1, 1)} error("no") end }))`,
    (depth) => `say(pcall(step, "try ${++asked}", ${work(depth)}, { retries = 1, backoff = ${second} }))`,
    (depth) =>
      `say(pcall(step, "asked ${++asked}", ${work(depth)}, { on_failure = { timeout = ${second}${maybe(', default = "retry_here"')} } }))`,
    (depth) => `say(pcall(step, "late ${++asked}", ${work(depth)}, { deadline = ${2 * second} }))`,
    (depth) =>
      `say(pcall(Saga, "trip ${++asked}", function(saga)
        saga.add_compensation("undo ${++asked}", function() ${pick(random, leaves)()} end)
        ${block(depth - 1, 2)} ${maybe('error("undo it")')} return 1
      end))`,
    (depth) =>
      `step("tidied ${++asked}", function() defer("tidy ${++asked}", function() ${pick(random, leaves)()} end) ${block(depth - 1, 2)} return 1 end)`,
  ];
  const step = (depth: number): string =>
    depth <= 0 || random() < 0.45 ? pick(random, leaves)() : pick(random, nodes)(depth);
  const agents = agentNames.map(
    (name) =>
      `${name} = Agent { model = "openai/gpt-x", system_prompt = "You are ${name}.", ${maybe('tools = { ask, look }, ')} ${maybe(budget())} }`,
  );
  // A run that begins again does so once or twice, and nothing of it may be under way.
  const passes = random() < 0.4 ? 1 + Math.floor(random() * 2) : 0;
  const again =
    passes === 0
      ? ''
      : `state.passes = (state.passes or 0) + 1
         if state.passes <= ${passes} then Sleep(${second}) say(pcall(Procedure.continue_as_new, input)) end`;
  return `
    look = Tool { description = "Looks", input = {}, function() Sleep(${second}) return "seen" end }
    ask = Tool { description = "Asks", input = {}, function() return tostring(Human.approve({ message = "May I?" })) end }
    ${agents.join('\n')}
    local said = {}
    local function say(...)
      for _, value in ipairs({ ... }) do
        said[#said + 1] = type(value) == "table" and (value.output or value.exhausted or #value) or tostring(value)
      end
    end
    Procedure { ${maybe(`${budget()}, `)} function()
      ${block(depth, 4)}
      ${again}
      return said
    end }`;
}
