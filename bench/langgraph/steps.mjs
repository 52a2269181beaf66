/**
 * Super-steps of LangGraph.js with its checkpointer over SQLite, in a process of its own: `steps.mjs DATABASE STEPS NODES`. Two nodes
 * side by side, and one after them; `files`: each node looks at a file, `items`: a channel has 1,000 items. Prints the milliseconds of
 * the whole run, by the clock and of the process.
 */
import { existsSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const [database, steps, nodes] = process.argv.slice(2);
const most = Number(steps) / 2;
const look = () => {
  if (nodes === 'files') existsSync('missing');
};
const State = Annotation.Root({
  n: Annotation({ reducer: (_, update) => update, default: () => 0 }),
  items: Annotation({ reducer: (_, update) => update, default: () => [] }),
  notes: Annotation({ reducer: (a, b) => [...a, ...b].slice(-10), default: () => [] }),
});
const side = (name) => (state) => {
  look();
  return { notes: [`${name} ${state.n}`] };
};
const graph = new StateGraph(State)
  .addNode('left', side('left'))
  .addNode('right', side('right'))
  .addNode('join', (state) => {
    look();
    return { n: state.n + 1 };
  })
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .addEdge(['left', 'right'], 'join')
  .addConditionalEdges('join', (state) => (state.n < most ? ['left', 'right'] : END))
  .compile({ checkpointer: SqliteSaver.fromConnString(database) });
const items = Array.from({ length: nodes === 'items' ? 1_000 : 0 }, (_, n) => ({
  ...{ n, text: `note ${n}`, tags: ['a', 'b'] },
}));
const started = performance.now();
const before = process.cpuUsage();
await graph.invoke({ n: 0, items }, { configurable: { thread_id: '1' }, recursionLimit: Number(steps) + 10 });
const wall = performance.now() - started;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1_000 }));
