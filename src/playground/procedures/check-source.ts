import type { ProcedureSource } from '../../contract/procedures/source.js';
import { graphSource } from '../../graph/index.js';
import type { DrawnGraph } from '../../page/runs/graph-layout.js';
import { validateSource, type Diagnostic } from '../../validation/index.js';

/** The name of the only file of the playground. */
const fileName = 'playground.tac';

export function sourceOf(text: string): ProcedureSource {
  return { entry: fileName, files: { [fileName]: text } };
}

/** What `validate` says of a file. */
export function checkSource(text: string): Diagnostic[] {
  return validateSource(sourceOf(text)).diagnostics;
}

/** The graph of a source; null: it can't be drawn. */
export function graphOf(source: ProcedureSource): DrawnGraph | null {
  const graphed = graphSource(source);
  return 'graph' in graphed ? { entry: source.entry, ...graphed.graph } : null;
}
