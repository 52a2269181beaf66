import type { VNode } from 'preact';
import type { PrintedLine } from '../api/shapes.js';
import { Json, Text } from '../text/text.js';
import type { StreamedTurn } from './streamed-turns.js';

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

/** What agents say and do, as it comes. */
export function RunConversation({ turns }: { turns: readonly StreamedTurn[] }): VNode {
  return (
    <section class="card said" aria-labelledby="spoken-title">
      <h2 id="spoken-title">What agents say</h2>
      <p class="card-note">Written by models, live.</p>
      {turns.map(({ position, agent, parts, isDone, isBroken, lost }) => (
        <article key={position} class="turn" aria-busy={!isDone}>
          <h3>
            <Text text={agent} short={80} />
            <span class="mono muted">{position}</span>
            {!isDone && <span class="badge">writing …</span>}
            {isBroken && <span class="badge warn">interrupted</span>}
          </h3>
          {lost > 0 && <p class="muted">{lost} parts were lost here.</p>}
          {parts.map((part, i) =>
            part.type === 'text' ? (
              <p key={i}>
                <Text text={part.text} />
              </p>
            ) : (
              <details key={i}>
                <summary>
                  calls <code>{<Text text={part.tool} short={80} />}</code>
                </summary>
                <Json value={part.arguments} />
                {part.result !== null && (
                  <pre>
                    <Text text={part.result} />
                  </pre>
                )}
              </details>
            ),
          )}
        </article>
      ))}
    </section>
  );
}
