import type { VNode } from 'preact';
import type { Run } from '../api/shapes.js';
import { Link } from '../shell/navigation.js';
import { runPath } from '../shell/route.js';
import { Text } from '../text/text.js';
import { Time } from '../text/time.js';
import { costText, tokensText } from './usage-text.js';

/** How a run stands, what it has cost and may, and which runs belong to it. */
export function RunFacts({ run, id }: { run: Run; id: string }): VNode {
  const { checkpoints, usage, closed_at, children, budgets = [] } = run;
  const parent = /^(.+)\/[\d.]+$/.exec(id)?.[1];
  return (
    <section class="card host" aria-labelledby="run-facts">
      <h2 id="run-facts">Facts from the host</h2>
      <dl class="facts">
        <div>
          <dt>Cost</dt>
          <dd>{costText(usage)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>
            {tokensText(usage)}
            <span class="muted">
              {' '}
              ({usage.input_tokens.toLocaleString('en')} read, {usage.output_tokens.toLocaleString('en')}{' '}
              written)
            </span>
          </dd>
        </div>
        <div>
          <dt>Checkpoints</dt>
          <dd>{checkpoints}</dd>
        </div>
        {closed_at !== null && (
          <div>
            <dt>Ended</dt>
            <dd>
              <Time at={closed_at} />
            </dd>
          </div>
        )}
        {parent !== undefined && (
          <div>
            <dt>Parent</dt>
            <dd>
              <Link to={runPath(parent)}>
                <Text text={parent} short={120} />
              </Link>
            </dd>
          </div>
        )}
        {children.length > 0 && (
          <div>
            <dt>Child runs</dt>
            <dd>
              <ul class="plain">
                {children.map((child) => (
                  <li key={child}>
                    <Link to={runPath(child)}>
                      <Text text={child} short={120} />
                    </Link>
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        )}
      </dl>
      {budgets.length > 0 && <h3>Budgets</h3>}
      {budgets.map(({ of, limits, used }) =>
        Object.entries(limits).map(([measure, limit]) => (
          <label key={`${of} ${measure}`} class="budget">
            <span>
              <Text text={of} short={80} />: {measure.replaceAll('_', ' ')} {used[measure] ?? 0} of {limit}
            </span>
            <meter min={0} max={limit} high={limit * 0.9} value={Math.min(limit, used[measure] ?? 0)} />
          </label>
        )),
      )}
    </section>
  );
}
