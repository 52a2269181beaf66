import type { VNode } from 'preact';
import { attemptText } from '../../contract/retries/attempt-text.js';
import type { Run } from '../api/shapes.js';
import { Text } from '../text/text.js';
import { Time } from '../text/time.js';

/** What has gone wrong, and where: an end by an error, a run that is stuck, calls that are tried again. */
export function RunError({ run }: { run: Run }): VNode {
  const { error, stuck, retrying, incomplete } = run;
  return (
    <>
      {error !== null && (
        <section class="notice bad" aria-label="Error">
          <p>
            <strong>
              <code>{error.code}</code>
            </strong>{' '}
            {error.file !== null && (
              <span class="mono">
                <Text text={`${error.file}:${error.line ?? '?'}`} short={200} />
              </span>
            )}
          </p>
          <p>
            <Text text={error.message} />
          </p>
          {error.traceback !== null && (
            <details>
              <summary>Traceback</summary>
              <pre>
                <Text text={error.traceback} />
              </pre>
            </details>
          )}
        </section>
      )}
      {stuck !== null && (
        <section class="notice bad" aria-label="Stuck">
          <p>
            <strong>The run is stuck</strong> since <Time at={stuck.since} />: it goes on as soon as a worker
            can take it.
          </p>
          <p>
            <Text text={stuck.message} />
          </p>
        </section>
      )}
      {retrying.map((each) => (
        <p key={each.id} class="notice warn">
          Trying again ({attemptText(each.attempt, each.attempts)}): <Text text={each.message} short={600} />
        </p>
      ))}
      {incomplete !== undefined && (
        <p class="notice warn">
          <Text text={incomplete} short={600} />
        </p>
      )}
    </>
  );
}
