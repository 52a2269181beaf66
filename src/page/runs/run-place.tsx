import type { ComponentChildren, VNode } from 'preact';
import { useTitle } from '../shell/use-title.js';
import { Heading } from '../shell/heading.js';
import { goTo, Link } from '../shell/navigation.js';
import { useShortcuts } from '../shell/use-shortcuts.js';
import { Json } from '../text/json.js';
import { Text } from '../text/text.js';
import { Time } from '../text/time.js';
import { CancelRun } from './cancel-run.js';
import { RunError } from './run-error.js';
import { RunFacts } from './run-facts.js';
import { RunGraph } from './run-graph.js';
import { RunLog } from './run-log.js';
import { RunPrinted } from './run-printed.js';
import { RunSpoken } from './run-spoken.js';
import { RunWaits } from './run-waits.js';
import { StatusBadge } from './status-badge.js';
import { useRun } from './use-run.js';

/** One run, while it goes and after. */
export function RunPlace({ id }: { id: string }): VNode {
  const { run, output, state, log, printed, spoken, problem } = useRun(id);
  useShortcuts({ u: () => goTo('/runs') });
  useTitle(`Run ${id}`);
  return (
    <>
      <p class="crumbs">
        <Link to="/runs">Back to the runs</Link>
      </p>
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {run === null && problem === null && <p class="loading">Loading …</p>}
      {run !== null && (
        <>
          <div class="head">
            <Heading>
              <Text text={run.procedure} short={120} />
              <span role="status">
                <StatusBadge status={run.status} />
              </span>
            </Heading>
            <p class="muted head-facts">
              <span class="mono">
                <Text text={id} short={120} />
              </span>
              <span>
                started <Time at={run.started_at} />
              </span>
            </p>
          </div>
          <RunError run={run} />
          <div class="columns">
            <div class="column-main">
              <RunWaits run={run} />
              {run.status === 'completed' && (
                <Card title="Output">
                  <Json value={output} />
                </Card>
              )}
              {spoken.length > 0 && <RunSpoken turns={spoken} />}
              <RunLog run={run} log={log} />
              <RunGraph run={run} log={log} />
              {printed.length > 0 && <RunPrinted lines={printed} />}
            </div>
            <aside class="column-side" aria-label="About this run">
              <RunFacts run={run} id={id} />
              <Card title="State">
                {state === null || Object.keys(state).length === 0 ? (
                  <p class="muted">Nothing is in it.</p>
                ) : (
                  <Json value={state} />
                )}
              </Card>
              {run.closed_at === null && <CancelRun id={id} />}
            </aside>
          </div>
        </>
      )}
    </>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
