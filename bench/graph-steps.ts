/**
 * `npm run bench -- graph-steps [nothing|files|items]`: what a super-step costs after 10 and after 1,000 others, beside LangGraph.js with its checkpointer
 * over SQLite on the same graph: two nodes side by side and one after them. They do nothing, look at a file each, or do nothing beside a
 * channel with 1,000 items. It is the difference between runs that have 100, or 1,000, more, and runs that have not. The floor is a workflow in
 * TypeScript that looks at files in the same order, and does nothing else. Times of the worker's process are there as well, because a busy
 * machine changes them less. `LANGGRAPH_NODE` names another Node for LangGraph.js: its SQLite library is compiled where nobody has made it
 * for this machine, and needs the headers of Node.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TactusClient } from '../dist/client/tactus-client.js';
import { openStage, openWorker } from './stage.ts';

const packages = [
  '@langchain/langgraph@1.7.3',
  '@langchain/langgraph-checkpoint-sqlite@1.0.4',
  '@langchain/langgraph-checkpoint@1.2.2',
  '@langchain/core@1.4.0',
];
const taskQueue = 'bench-graph-steps';
const times = 5;
/** Super-steps before those that are measured, and how many these are: a difference of long runs is of little use where it is small. */
const after = [
  { steps: 10, more: 100 },
  { steps: 1_000, more: 1_000 },
];
const node = process.env['LANGGRAPH_NODE'] ?? process.execPath;

/** A new folder with LangGraph.js. */
function installLangGraph(): { folder: string; remove: () => void } {
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('This is run by npm: npm run bench -- graph-steps');
  const folder = mkdtempSync(join(tmpdir(), 'langgraph-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  cpSync(join(import.meta.dirname, 'langgraph'), folder, { recursive: true });
  execFileSync(node, [npm, 'install', '--silent', '--save-exact', ...packages], { cwd: folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

type Nodes = 'nothing' | 'files' | 'items';

const [only] = process.argv.slice(2);
const measured = (['nothing', 'files', 'items'] as const).filter(
  (each) => only === undefined || each === only,
);

const source = (nodes: Nodes) => ({
  entry: 'steps.tac',
  files: {
    'steps.tac': `
    local function look() ${nodes === 'files' ? 'File.exists("missing")' : ''} end
    local side = function(name) return function(state)
      look()
      return { writes = { notes = { name .. " " .. (state.n or 0) } }, next = "join" }
    end end
    main = Graph {
      channels = { n = Graph.last, most = Graph.last, notes = Graph.bounded(10), items = Graph.last },
      entrypoint = "begin", max_steps = 100000,
      nodes = {
        begin = function() return { next = { "left", "right" } } end,
        left = side("left"),
        right = side("right"),
        join = function(state)
          look()
          local n = (state.n or 0) + 1
          return { writes = { n = n }, next = n < state.most and { "left", "right" } or nil }
        end,
      },
    }`,
  },
});
const items = Array.from({ length: 1_000 }, (_, n) => ({ n, text: `note ${n}`, tags: ['a', 'b'] }));

/** In ms, of a run or of one super-step. */
interface Cost {
  wall: number;
  cpu: number;
}

const median = (of: number[]): number => of.sort((a, b) => a - b)[of.length >> 1] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<Cost> {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - started, cpu: (user + system) / 1_000 };
}

const stage = await openStage();
const client = new TactusClient(stage.env.client, { taskQueue });
const { folder, remove } = installLangGraph();
const worker = await openWorker(stage, taskQueue);
await worker.runUntil(async () => {
  let count = 0;
  const ways: Record<string, (steps: number, nodes: Nodes) => Promise<Cost>> = {
    here: (steps, nodes) =>
      timed(async () => {
        const input = { most: steps / 2, ...(nodes === 'items' ? { items } : {}) };
        await (await client.start(source(nodes), input)).result();
      }),
    'LangGraph.js': (steps, nodes) => {
      const args = ['steps.mjs', `${++count}.sqlite`, String(steps), nodes];
      return Promise.resolve(JSON.parse(execFileSync(node, args, { cwd: folder, encoding: 'utf8' })) as Cost);
    },
    'looks by a TypeScript workflow alone': (steps) =>
      timed(() => {
        const workflowId = `looks-${++count}`;
        return stage.env.client.workflow.execute('nativeLooks', { taskQueue, workflowId, args: [{ steps }] });
      }),
  };
  for (const run of Object.values(ways)) await run(100, 'files');
  for (const nodes of measured) {
    // Each super-step records all items: a thousand of them are more than a run keeps in one execution.
    const stages = nodes === 'items' ? after.slice(0, 1) : after;
    console.log(`\nnodes: ${nodes}`);
    const shown = Object.entries(ways).slice(0, nodes === 'files' ? 3 : 2);
    const found = new Map(shown.map(([who]) => [who, stages.map((): Cost[] => [])]));
    // One after the other in each round, so that what else the machine does at a time falls on all.
    for (let i = 0; i < times; i++)
      for (const [who, run] of shown)
        for (const [k, { steps, more }] of stages.entries()) {
          const without = await run(steps, nodes);
          const { wall, cpu } = await run(steps + more, nodes);
          found.get(who)?.[k]?.push({ wall: (wall - without.wall) / more, cpu: (cpu - without.cpu) / more });
        }
    const cost = (who: string, k: number, unit: keyof Cost): number =>
      median((found.get(who)?.[k] ?? []).map((each) => each[unit]));
    for (const [who] of shown)
      for (const unit of ['wall', 'cpu'] as const) {
        const costs = stages.map(
          ({ steps }, k) => `${cost(who, k, unit).toFixed(2)} ms a super-step after ${steps}`,
        );
        const ratio =
          stages.length < 2 ? '' : `, ratio ${(cost(who, 1, unit) / cost(who, 0, unit)).toFixed(2)}`;
        console.log(`  ${who}, ${unit}: ${costs.join(', ')}${ratio}`);
      }
    const last = stages.length - 1;
    const ratio = (unit: keyof Cost): string =>
      (cost('here', last, unit) / cost('LangGraph.js', last, unit)).toFixed(2);
    console.log(`  ratio to LangGraph.js at the end: wall ${ratio('wall')}, cpu ${ratio('cpu')}`);
  }
});
remove();
await stage.close();
process.exit(0);
