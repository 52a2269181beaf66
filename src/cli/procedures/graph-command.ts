import { Command } from 'commander';
import { graphFile } from './graph-file.js';
import { TactusError } from '../../contract/errors.js';
import { act } from '../context.js';
import { diagnosticText } from './diagnostic-text.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { graphMermaid } from '../../graph/graph-mermaid.js';

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
