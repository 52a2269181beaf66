/**
 * What a procedure may do, as a graph: drawn from its syntax tree, without running it. It stands on `src/validation`,
 * which knows what names stand for and what asks something of the outside; nothing there needs a graph. What a graph
 * looks like in Mermaid's language is the command line's.
 */
export type { FlowGraph } from './flow-graph.js';
export { graphSource } from './draw-program.js';
