import type { VNode } from 'preact';
import { Json } from '../text/json.js';
import { Text } from '../text/text.js';
import type { SpokenTurn } from './spoken-turns.js';

/** What agents say and do, as it comes. */
export function RunSpoken({ turns }: { turns: readonly SpokenTurn[] }): VNode {
  return (
    <section class="card said" aria-labelledby="spoken-title">
      <h2 id="spoken-title">What agents say</h2>
      <p class="card-note">Written by models, as it comes.</p>
      {turns.map(({ position, agent, parts, isDone, isBroken, lost }) => (
        <article key={position} class="turn" aria-busy={!isDone}>
          <h3>
            <Text text={agent} short={80} />
            <span class="mono muted">{position}</span>
            {!isDone && <span class="badge">writing …</span>}
            {isBroken && <span class="badge warn">broken off</span>}
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
