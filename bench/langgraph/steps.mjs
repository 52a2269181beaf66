/**
 * Super-steps of LangGraph.js with its checkpointer over SQLite, in a process of its own: `steps.mjs DATABASE STEPS FILES`. Two nodes
 * side by side, and one after them; `files`: each node looks at a file. Prints the milliseconds of the whole run.
 */
import { existsSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const [database, steps, looksAtFiles] = process.argv.slice(2);
const most = Number(steps) / 2;
const look = () => {
  if (looksAtFiles === 'files') existsSync('missing');
};
const State = Annotation.Root({
  n: Annotation({ reducer: (_, update) => update, default: () => 0 }),
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
const started = performance.now();
await graph.invoke({ n: 0 }, { configurable: { thread_id: '1' }, recursionLimit: Number(steps) + 10 });
console.log(performance.now() - started);
