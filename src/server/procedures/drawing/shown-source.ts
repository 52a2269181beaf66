import { graphSource, type FlowGraph } from '../../../graph/index.js';
import { graphMermaid } from '../../../graph/graph-mermaid.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import { validateSource, type Validation } from '../../../validation/index.js';

/** A graph, and how Mermaid draws it. */
export interface Drawn extends FlowGraph {
  entry: string;
  mermaid: string;
}

/** What a procedure may do; null where its source can't be drawn. */
export function drawnSource(source: ProcedureSource): Drawn | null {
  const graphed = graphSource(source);
  if ('diagnostics' in graphed) return null;
  const { entry } = source;
  return { entry, mermaid: graphMermaid(graphed.graph, entry), ...graphed.graph };
}

/** What a procedure says of itself. */
export function describedProcedure(source: ProcedureSource): Validation['describe'] {
  return validateSource(source).describe;
}

/** What a thread is asked of a source. */
export interface ThreadRequest {
  kind: 'graph' | 'describe';
  source: ProcedureSource;
}

/** `drawn`: null where the source can't be drawn. */
export type ThreadAnswer =
  { kind: 'graph'; drawn: Drawn | null } | { kind: 'describe'; described: Validation['describe'] };
