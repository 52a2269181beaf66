import type { ErrorCode } from '../../src/contract/errors.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import type { Limits } from '../../src/contract/runs/limits.js';
import type { RunView } from '../../src/contract/runs/run-view.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { procedureOf } from '../support/procedure-source.js';

/** A run that changes workers in the middle. Its endpoint is `input.endpoint`; `guess` and `score` are models. */
export interface UpgradeCase {
  while: string;
  source: ProcedureSource;
  /** When the old worker is stopped, by what the run shows; where it waits for no activity. */
  isThere: (view: RunView) => boolean;
  /** It waits for an activity all the same, when so many requests have arrived. */
  arrived?: number;
  /** Questions that are open then, with those of child runs. */
  asks: number;
  /** What it gives, or the code that it fails with. */
  output: JsonValue | { code: ErrorCode };
  /** What it gives where it began on a version from which on that is something else. */
  since?: { version: string; output: JsonValue };
  /** The run is cancelled when the new worker is there. */
  isCancelled?: true;
  /** Requests that arrive, each by a key of its own. */
  requests: number;
  /** Which of them came twice: it was in flight. */
  twice?: number;
  /** After how many events it continues as new, where it does. */
  historyEvents: number;
  limits?: Partial<Limits>;
}

const models = `
  local guess = Model { type = "mock", value = 2 }
  local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
  local function rest(n) for i = 1, n do http_client.post(input.endpoint, { json = { n = i } }) end end`;

function caseOf(body: string, files: Record<string, string> = {}): ProcedureSource {
  return procedureOf(models + body, files);
}

const child = `Procedure { function(input)${models}
  local before = score({ n = input.n }).output.score
  local ok = Human.approve("Number " .. input.n .. "?")
  rest(4)
  return { sum = before + score({ n = 4 }).output.score, ok = ok }
end }`;

const isAsking = ({ pending }: RunView): boolean => pending.length > 0;
const isDone =
  (count: number) =>
  ({ checkpoints }: RunView): boolean =>
    checkpoints >= count;

export const upgradeCases: UpgradeCase[] = [
  {
    while: 'it waits for a person',
    source: caseOf(`
      rest(3)
      local first = score({ n = 4 }).output.score
      File.write("person.txt", "before")
      state.asked = step("ask", function() return Human.input("Who?") end)
      rest(5)
      return { first, state.asked, score({ n = 8 }).output.score, File.read("person.txt"), guess({ n = 1 }).output }`),
    isThere: isAsking,
    asks: 1,
    output: [1, 'answer', 2, 'before', 2],
    requests: 10,
    historyEvents: 14,
  },
  {
    while: 'timers are open',
    source: caseOf(`
      local results = Parallel{
        function() Sleep(15) return score({ n = 4 }).output.score end,
        function() return Human.input{ message = "Nobody?", timeout = 16, default = "nobody" } end,
        function() rest(4) File.write("timer.txt", "there") return score({ n = 8 }).output.score end,
        function() File.exists("missing.txt") return guess({ n = 1 }).output end,
      }
      rest(4)
      return results`),
    isThere: isDone(8),
    asks: 1,
    output: [1, 'nobody', 2, 2],
    requests: 10,
    historyEvents: 16,
  },
  {
    while: 'it is between the parts of a long way',
    source: caseOf(`
      local total, said = 0, {}
      for part = 1, 9 do
        for i = 1, 500 do total = total + i % 2 end
        total = total + score({ n = part * 4 }).output.score + guess({ n = part }).output
        File.write("parts/" .. part .. ".txt", tostring(part))
        rest(1)
        if part % 4 == 0 then said[#said + 1] = Human.approve("Is part " .. part .. " good?") end
        print("part", part)
      end
      return { total = total, said = said }`),
    isThere: isAsking,
    asks: 1,
    output: { total: 9 * 250 + 45 + 18, said: [true, true] },
    requests: 18,
    historyEvents: 40,
    limits: { sliceInstructions: 1_000 },
  },
  {
    while: 'child runs are open',
    source: caseOf(
      `
      local spawned = Procedure.spawn("child.tac", { n = 8, endpoint = input.endpoint })
      local idle = Procedure.spawn("idle.tac")
      local results = Parallel{
        function() return Procedure.run("child.tac", { n = 12, endpoint = input.endpoint }).sum end,
        function() rest(8) return Human.input("Meanwhile?") end,
        function() return Procedure.wait(spawned).sum end,
        function() return (pcall(Procedure.wait, idle, { timeout = 12 })) end,
      }
      rest(4)
      Procedure.cancel(idle)
      return { results = results, stands = Procedure.status(idle).status }`,
      { 'child.tac': child, 'idle.tac': 'Procedure { function() Sleep(3600) return { n = 1 } end }' },
    ),
    isThere: isAsking,
    asks: 3,
    output: { results: [4, 'answer', 3, false], stands: 'cancelled' },
    requests: 24,
    historyEvents: 30,
  },
  {
    while: 'a branch tries again',
    source: caseOf(`
      local tries = 0
      local results = Parallel{
        function()
          return Retry.with_backoff(function()
            tries = tries + 1
            if not File.exists(input.file) then error("not yet") end
            return File.read(input.file)
          end, { max_attempts = 9, initial_delay = 4, backoff_factor = 1 })
        end,
        function()
          rest(4)
          local said = Human.input("Shall it be there?")
          File.write(input.file, said)
          return score({ n = 4 }).output.score
        end,
      }
      rest(4)
      return { results = results, again = tries > 1 }`),
    isThere: isAsking,
    asks: 1,
    output: { results: ['answer', 1], again: true },
    requests: 9,
    historyEvents: 16,
  },
  {
    while: 'a tool of an agent asks',
    source: {
      entry: 'main.tac',
      files: {
        'main.tac': `
          lookup = Tool {
            description = "Finds an order",
            input = { id = field.string{required = true} },
            function(args)
              Sleep(0.01)
              state.lookups = (state.lookups or 0) + 1
              if args.id == "A2" then Human.approve("May it be looked up?") end
              return { id = args.id }
            end,
          }
          writer = Agent { model = "openai/gpt-4o-mini", system_prompt = "You answer.", tools = { lookup } }
          Procedure { function(input)
            local said = {}
            for round = 1, 3 do said[round] = writer("Where is order A" .. round .. "?").output end
            said[4] = writer("Now thank them.").output
            return { said = said, lookups = state.lookups, messages = #writer.messages }
          end }`,
      },
    },
    isThere: isAsking,
    asks: 1,
    output: {
      said: [...[1, 2, 3].map((n) => `It is late: {"id":"A${n}"}`), 'You said: Now thank them.'],
      lookups: 3,
      messages: 14,
    },
    requests: 7,
    historyEvents: 20,
  },
  {
    while: 'an agent has turns in branches',
    source: {
      entry: 'main.tac',
      files: {
        'main.tac': `
          writer = Agent {
            model = "openai/gpt-4o-mini",
            system_prompt = "You write.",
            message_history = { mode = "isolated" },
          }
          Procedure { function(input)
            local said = writer("Begin").output
            local counts = Parallel.map({ "one", "two" }, function(word)
              local first = writer(word).output
              if word == "one" then Human.approve("Shall it go on?") end
              return { first, writer(word .. " again").output, #writer.messages }
            end, { concurrency = 1 })
            return { said, counts, #writer.messages, writer.output }
          end }`,
      },
    },
    isThere: isAsking,
    asks: 1,
    output: [
      'You said: Begin',
      [
        ['You said: one', 'You said: one again', 6],
        ['You said: two', 'You said: two again', 10],
      ],
      10,
      'You said: two again',
    ],
    since: {
      version: '0.3.0',
      output: [
        'You said: Begin',
        [
          ['You said: one', 'You said: one again', 0],
          ['You said: two', 'You said: two again', 0],
        ],
        0,
        'You said: two again',
      ],
    },
    requests: 5,
    historyEvents: 8,
  },
  {
    while: 'a request is under way',
    source: caseOf(`
      rest(3)
      local results = Parallel{
        function() return Model { type = "http", endpoint = input.endpoint .. "/slow", timeout = 20 }({ n = 8 }).output.score end,
        function() return score({ n = 4 }).output.score end,
      }
      rest(7)
      return results`),
    isThere: isDone(4),
    arrived: 5,
    asks: 0,
    output: [2, 1],
    requests: 12,
    twice: 1,
    historyEvents: 24,
    limits: { heartbeatMs: 1_000 },
  },
  {
    while: 'it waits, and fails then',
    source: caseOf(
      `
      rest(4)
      Human.approve("Shall it fail?")
      rest(4)
      Procedure.run("fails.tac")`,
      { 'fails.tac': 'Procedure { function() error("wanted") end }' },
    ),
    isThere: isAsking,
    asks: 1,
    output: { code: 'child_failed' },
    requests: 8,
    historyEvents: 14,
  },
  {
    while: 'all is open, and it is cancelled then',
    source: caseOf(
      `
      rest(4)
      local spawned = Procedure.spawn("child.tac", { n = 4, endpoint = input.endpoint })
      pcall(Parallel, {
        function() Sleep(3600) end,
        function() return Human.approve("Nobody?") end,
        function() return Procedure.wait(spawned) end,
        function() return Procedure.run("child.tac", { n = 8, endpoint = input.endpoint }) end,
      })
      return "went on"`,
      { 'child.tac': child.replace('"Number', '"Nobody') },
    ),
    isThere: isAsking,
    asks: 3,
    output: { code: 'cancelled' },
    isCancelled: true,
    requests: 6,
    historyEvents: 12,
  },
];
