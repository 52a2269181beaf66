import { basename } from 'node:path';
import { graphSource, type FlowGraph } from '../../graph/index.js';
import type { Diagnostic } from '../../validation/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { shownName } from '../../client/procedures/index.js';

/** The graph of a procedure, or what keeps it from being drawn, with the sources of its files. */
export type FileGraph =
  { graph: FlowGraph; entry: string } | { diagnostics: Diagnostic[]; texts: ReadonlyMap<string, string> };

/**
 * Draws a procedure with all that it requires and runs. Files are named as the given one is.
 * @throws TactusError source_not_found, source_invalid where a file is no text
 */
export async function graphFile(file: string): Promise<FileGraph> {
  const source = await collectFile(file);
  const shown = shownName(file);
  const renamed = <T extends { file: string }>(each: T): T => ({ ...each, file: shown(each.file) });
  const graphed = graphSource(source);
  if ('diagnostics' in graphed) {
    const texts = new Map(Object.entries(source.files).map(([name, text]) => [shown(name), text]));
    return { diagnostics: graphed.diagnostics.map(renamed), texts };
  }
  const { nodes, edges, groups } = graphed.graph;
  return {
    graph: { nodes: nodes.map(renamed), edges, groups: groups.map(renamed) },
    entry: shown(basename(file)),
  };
}
