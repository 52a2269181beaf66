import { Command } from 'commander';
import { basename } from 'node:path';
import { TactusError, act, exitCodes } from '../command.js';
import { diagnosticText } from './diagnostic-text.js';
import { graphMermaid } from '../../graph/graph-mermaid.js';
import { graphSource, type FlowGraph } from '../../graph/index.js';
import type { Diagnostic } from '../../validation/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { shownName } from '../../client/procedures/index.js';

/** What Mermaid draws unless it is told to draw more. */
const mostEdges = 500;
const mostCharacters = 50_000;
const tooLarge = `Larger than Mermaid draws by itself (${mostEdges} edges, ${mostCharacters} characters): set its maxEdges and maxTextSize`;

/** `graph FILE`: what a procedure may do, as a flow chart. Nothing is started. */
export function graphCommand(): Command {
  return new Command('graph')
    .description('draw a procedure as a Mermaid flow chart, without running it')
    .argument('<file>', 'procedure to draw')
    .action(
      act(async ({ screen }, _flags: object, file: string) => {
        const graphed = await graphFile(file);
        if ('graph' in graphed) {
          const mermaid = graphMermaid(graphed.graph, graphed.entry);
          if (graphed.graph.edges.length > mostEdges || mermaid.length > mostCharacters)
            screen.note(tooLarge);
          screen.answer({ mermaid, ...graphed.graph }, () => mermaid);
          return exitCodes.done;
        }
        const { diagnostics, texts } = graphed;
        for (const each of diagnostics) screen.warn(diagnosticText(each, texts.get(each.file), screen.paint));
        const [first] = diagnostics;
        const error = new TactusError('source_invalid', first?.message ?? '', {
          file: first?.file ?? file,
          line: first?.line ?? 1,
        });
        screen.answer({ error: error.toRunError(), diagnostics }, () => '');
        return exitCodes.refused;
      }),
    );
}

/** The graph of a procedure, or what keeps it from being drawn, with the sources of its files. */
type FileGraph =
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
