import type { VNode } from 'preact';
import type { PrintedLine } from '../api/shapes.js';
import { Json } from '../text/json.js';
import { Text } from '../text/text.js';

/** So many of the newest lines are shown. */
const mostLines = 500;

/** What the procedure has printed and logged, and what its author is warned of. */
export function RunPrinted({ lines }: { lines: readonly PrintedLine[] }): VNode {
  return (
    <section class="card said" aria-labelledby="printed-title">
      <h2 id="printed-title">Printed and logged</h2>
      {lines.length > mostLines && (
        <p class="muted">
          The newest {mostLines} of {lines.length} lines.
        </p>
      )}
      <ol class="plain lines">
        {lines.slice(-mostLines).map((line, i) => (
          <li key={i}>
            {line.kind !== 'print' && (
              <span class={line.kind === 'log' && line.level !== 'error' ? 'badge' : 'badge warn'}>
                {line.kind === 'log' ? line.level : 'warning'}
              </span>
            )}{' '}
            <Text text={line.kind === 'print' ? line.text : line.message} />
            {line.kind === 'log' && line.context !== null && <Json value={line.context} depth={2} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
