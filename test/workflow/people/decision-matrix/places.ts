import type { ProcedureSource } from '../../../../src/contract/procedures/source.js';
import { procedureSource } from '../../../support/procedure-source.js';

/** Where in a procedure people are asked. */
export interface AskedPlace {
  name: string;
  /** So many requests of the kind are asked there; side by side where `together`. */
  count: number;
  together?: boolean;
  /** The procedure continues as new while it waits. */
  continues?: boolean;
  body: (ask: string) => string;
  /** Declared beside the procedure. */
  declared?: (ask: string) => string;
}

export const places: readonly AskedPlace[] = [
  { name: 'at the top level', count: 1, body: (ask) => ask },
  { name: 'in a loop', count: 2, body: (ask) => `for i = 1, 2 do ${ask} end` },
  {
    ...{ name: 'in parallel branches', count: 3, together: true },
    body: (ask) => `Parallel.map({1, 2, 3}, function() ${ask}; return true end)`,
  },
  {
    ...{ name: 'in a sub-procedure', count: 1 },
    declared: (ask) => `Procedure "helper" { function() ${ask}; return {} end }`,
    body: () => 'helper()',
  },
  {
    ...{ name: "in an agent's tool", count: 1 },
    declared: (ask) => `
      lookup = Tool { description = "Looks", input = { id = field.string {} }, function() ${ask}; return "done" end }
      clerk = Agent { model = "openai/gpt-x", system_prompt = "You look.", tools = { lookup } }`,
    body: () => 'clerk("order A1")',
  },
  {
    ...{ name: 'after the run has continued as new', count: 1, continues: true },
    body: (ask) => `for i = 1, 12 do File.exists("x" .. i) end ${ask}`,
  },
];

/** Asks whether to begin, then in the place, then whether it is done: what comes too late meets a run that goes on. */
export function procedureOfPlace({ body, declared }: AskedPlace, call: string): ProcedureSource {
  const ask = call.replace('FIELDS', 'message = "The one?", approvers = {"ann"}');
  return procedureSource(`
    ${declared?.(ask) ?? ''}
    Procedure { function()
      Human.approve("Begin?")
      ${body(ask)}
      Human.approve("Done?")
      return "done"
    end }`);
}
