import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';

/** A graph with channels of each kind, two nodes side by side and two after them. */
export const research = `research = Graph {
  channels = { notes = Graph.append, answer = Graph.last, messages = Graph.bounded(2), total = function(current, update) return (current or 0) + update end, plain = true },
  entrypoint = "plan",
  nodes = {
    plan = function(state, context) return { writes = { notes = { "begun" } }, next = { "left", "right" } } end,
    left = function(state, context)
      return { writes = { notes = { "l" }, total = 1 }, ledger = { { topic = "seen", key = "l", data = { n = 1 } }, { topic = "seen", key = "l2" } }, next = { "join" } }
    end,
    right = function(state, context)
      return { writes = { notes = { "r" }, total = 2, plain = context.customer }, ledger = { { topic = "seen", key = "r", data = { n = 2 } } }, next = { "join", "check" } }
    end,
    check = function(state) return { writes = { messages = { #state.notes } } } end,
    join = function(state) return { writes = { answer = table.concat(state.notes, ","), messages = { 1, 2, 3 } }, intents = { { type = "send_text", to = "c-1", payload = { text = "hi" } } } } end,
  },
}
`;

/** It is called in a procedure. */
export const inline = (body: string): string => `${research} Procedure { function(input) ${body} end }`;

/** Its super-steps that have ended. */
export function stepsIn(
  entries: readonly Checkpoint[],
): { name: string; kept: JsonObject; result: JsonObject }[] {
  return entries.flatMap(({ type, name, outcome }) =>
    type === 'super_step' && outcome.ok
      ? [{ name, ...(outcome.value as { kept: JsonObject; result: JsonObject }) }]
      : [],
  );
}
