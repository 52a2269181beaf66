/**
 * `npm run bench -- snapshots`: what a snapshot of a session costs with 10, 100, 1,000 and 4,000 items in its slices: `Session.snapshot()`,
 * which gives its text, and those of a durable loop, which are counted. It is the difference between runs that make many and runs that
 * make one, in the time of the worker's process, because a busy machine changes it less.
 */
import { TactusClient } from '../dist/client/tactus-client.js';
import { openStage, openWorker } from './stage.ts';

const taskQueue = 'bench-snapshots';
const times = 7;
/** So many items are written in all snapshots of a run. */
const itemsOfRun = 20_000;

const fill = `
  local slices = { Session.slice("notes"), Session.slice("findings") }
  for i = 1, input.items do slices[i % 2 + 1].append{ n = i, text = "note " .. i, tags = {"a", "b"} } end`;

const procedures: Record<string, string> = {
  'Session.snapshot()': `Procedure {
    input = { items = field.integer{}, snapshots = field.integer{} },
    function(input)
      ${fill}
      local size = 0
      for i = 1, input.snapshots do size = #Session.snapshot() end
      return { size = size }
    end,
  }`,
  'a snapshot of a durable loop': `Procedure {
    input = { items = field.integer{}, snapshots = field.integer{} },
    function(input)
      ${fill}
      return DurableLoop {
        request = { snapshots = input.snapshots },
        checkpoint_on = { "noted" },
        body = function(request, session)
          for i = 1, request.snapshots do Session.checkpoint("noted") end
          return { made = request.snapshots }
        end,
      }
    end,
  }`,
};

const stage = await openStage();
const client = new TactusClient(stage.env.client, { taskQueue });
const worker = await openWorker(stage, taskQueue);
await worker.runUntil(async () => {
  const cost = async (text: string, items: number, snapshots: number): Promise<number> => {
    const source = { entry: 'snapshots.tac', files: { 'snapshots.tac': text } };
    const before = process.cpuUsage();
    await (await client.start(source, { items, snapshots })).result();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  for (const [what, text] of Object.entries(procedures)) {
    await cost(text, 1_000, 10);
    let ofFew: number | null = null;
    for (const items of [10, 100, 1_000, 4_000]) {
      const snapshots = itemsOfRun / items;
      const found: number[] = [];
      for (let i = 0; i < times; i++)
        found.push((await cost(text, items, snapshots + 1)) - (await cost(text, items, 1)));
      const ms = (found.sort((a, b) => a - b)[times >> 1] ?? 0) / snapshots;
      const perItem = (ms / items) * 1_000;
      ofFew ??= perItem;
      console.log(
        `${what}, ${items} items: ${ms.toFixed(2)} ms, ${perItem.toFixed(1)} µs an item, ${(perItem / ofFew).toFixed(2)} of what it is with 10`,
      );
    }
  }
});
await stage.close();
process.exit(0);
