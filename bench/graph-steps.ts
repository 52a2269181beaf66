/**
 * `npm run bench -- graph-steps`: what a super-step costs after 10 and after 1,000 others, beside LangGraph.js with its checkpointer
 * over SQLite on the same graph: two nodes side by side and one after them, that do nothing, or look at a file each. It is the
 * difference between runs that have 100 more, and runs that have not. `LANGGRAPH_NODE` names another Node for LangGraph.js: its SQLite
 * library is compiled where nobody has made it for this machine, and needs the headers of Node.
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
const [more, times] = [100, 5];
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

const source = (looks: boolean) => ({
  entry: 'steps.tac',
  files: {
    'steps.tac': `
    local function look() ${looks ? 'File.exists("missing")' : ''} end
    local side = function(name) return function(state)
      look()
      return { writes = { notes = { name .. " " .. (state.n or 0) } }, next = "join" }
    end end
    main = Graph {
      channels = { n = Graph.last, most = Graph.last, notes = Graph.bounded(10) },
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

const median = (of: number[]): number => of.sort((a, b) => a - b)[of.length >> 1] ?? 0;

const stage = await openStage();
const client = new TactusClient(stage.env.client, { taskQueue });
const { folder, remove } = installLangGraph();
const worker = await openWorker(stage, taskQueue);
await worker.runUntil(async () => {
  const here = async (steps: number, looks: boolean): Promise<number> => {
    const started = performance.now();
    await (await client.start(source(looks), { most: steps / 2 })).result();
    return performance.now() - started;
  };
  let database = 0;
  const there = (steps: number, looks: boolean): number => {
    const args = ['steps.mjs', `${++database}.sqlite`, String(steps), looks ? 'files' : 'nothing'];
    return Number(execFileSync(node, args, { cwd: folder, encoding: 'utf8' }));
  };
  await here(10, true);
  for (const looks of [false, true]) {
    const cost: Record<string, number[]> = { here: [], there: [] };
    for (const steps of [10, 1_000]) {
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let i = 0; i < times; i++) {
        ours.push((await here(steps + more, looks)) - (await here(steps, looks)));
        theirs.push(there(steps + more, looks) - there(steps, looks));
      }
      cost['here']?.push(median(ours) / more);
      cost['there']?.push(median(theirs) / more);
    }
    console.log(looks ? 'nodes that look at a file' : 'nodes that do nothing');
    for (const [who, [few = 0, many = 0]] of Object.entries(cost))
      console.log(
        `  ${who === 'here' ? 'here' : 'LangGraph.js'}: ${few.toFixed(2)} ms a super-step after 10, ${many.toFixed(2)} ms after 1,000, ratio ${(many / few).toFixed(2)}`,
      );
    const [ours = 0, theirs = 0] = [cost['here']?.[1], cost['there']?.[1]];
    console.log(`  ratio to LangGraph.js at 1,000: ${(ours / theirs).toFixed(2)}`);
  }
});
remove();
await stage.close();
process.exit(0);
