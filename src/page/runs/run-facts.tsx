import type { VNode } from 'preact';
import { pauseText } from '../../contract/changes/pause.js';
import { cancellingText } from '../../contract/runs/cancelling.js';
import { attemptText } from '../../contract/retries/retry-policy.js';
import { kindNames, type Run } from '../api/shapes.js';
import { Link } from '../shell/navigation.js';
import { requestPath } from '../shell/route.js';
import { Card, Fact, Id, Text, Time } from '../text/text.js';
import { Labels, publishedText, RunLink } from './run-link.js';
import { costText, tokensText } from './usage-text.js';

/** How a run stands, what it has cost and may, and which runs belong to it. */
export function RunFacts({ run, id }: { run: Run; id: string }): VNode {
  const { checkpoints, usage, closed_at, children, published, forked_from: fork, labels, budgets = [] } = run;
  const parent = /^(.+)\/[\d.]+$/.exec(id)?.[1];
  return (
    <Card title="Facts from the host" of="host">
      <dl class="facts">
        <Fact name="Cost">{costText(usage)}</Fact>
        <Fact name="Tokens">
          {tokensText(usage)}
          <span class="muted">
            {' '}
            ({usage.input_tokens.toLocaleString('en')} read, {usage.output_tokens.toLocaleString('en')}{' '}
            written)
          </span>
        </Fact>
        <Fact name="Checkpoints">{checkpoints}</Fact>
        {published && (
          <Fact name="Version">
            <Text text={publishedText(published)} short={200} /> ({published.share} %)
          </Fact>
        )}
        {labels && (
          <Fact name="Labels">
            <Labels labels={labels} />
          </Fact>
        )}
        {closed_at !== null && (
          <Fact name="Ended">
            <Time at={closed_at} />
          </Fact>
        )}
        {fork && (
          <Fact name="Forked from">
            <RunLink id={fork.run_id} /> at <Id text={fork.at} />
          </Fact>
        )}
        {parent !== undefined && (
          <Fact name="Parent">
            <RunLink id={parent} />
          </Fact>
        )}
        {children.length > 0 && (
          <Fact name="Child runs">
            <ul class="plain">
              {children.map((child) => (
                <li key={child}>
                  <RunLink id={child} />
                </li>
              ))}
            </ul>
          </Fact>
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
    </Card>
  );
}

/** How far the plan of a run's session is. */
export function RunPlan({ plan }: { plan: NonNullable<Run['plan']> }): VNode {
  const { objective, status, steps } = plan;
  return (
    <Card title="Plan">
      <p>
        <Text text={objective} short={600} /> <span class="badge">{status}</span>
      </p>
      <ol class="steps">
        {steps.map(({ step_id, title, status: of }) => (
          <li key={step_id}>
            <Text text={title} short={200} />{' '}
            <span class={of === 'done' ? 'badge good' : 'badge'}>{of.replace('_', ' ')}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** What has gone wrong, and where: an end by an error, a run that is stuck, calls that are tried again. */
export function RunError({ run }: { run: Run }): VNode {
  const { error, stuck, retrying, incomplete, paused, cancelling, held = [] } = run;
  const notices = [
    ...(paused === undefined ? [] : [pauseText(paused)]),
    ...(cancelling === undefined ? [] : [cancellingText(cancelling)]),
    ...held.map(({ target, by, reason }) => `${target} is held by ${by ?? '?'}: ${reason}`),
  ];
  return (
    <>
      {notices.map((text) => (
        <p key={text} class="notice">
          <Text text={text} short={600} />
        </p>
      ))}
      {error !== null && (
        <section class="notice bad" aria-label="Error">
          <p>
            <strong>
              <code>{error.code}</code>
            </strong>{' '}
            {error.file !== null && <Id text={`${error.file}:${error.line ?? '?'}`} />}
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

/** What an open run asks people and waits for. */
export function RunWaits({ run }: { run: Run }): VNode | null {
  const { pending, waits } = run;
  const others = waits.filter(({ kind }) => kind !== 'human');
  if (pending.length + others.length === 0) return null;
  return (
    <Card title="Waiting for">
      <ul class="plain">
        {pending.map(({ id, kind, message, created_at }) => (
          <li key={id}>
            <span class={`kind ${kind}`}>{kindNames[kind]}</span>{' '}
            <Link to={requestPath(id)}>
              <Text text={message} short={240} />
            </Link>{' '}
            <span class="muted">
              asked <Time at={created_at} isAlone />
            </span>
          </li>
        ))}
        {others.map(({ position, kind, name, since, source, resume_at }) => (
          <li key={position}>
            <span class="badge">{kind}</span> <Text text={name} short={200} />{' '}
            <span class="muted">
              since <Time at={since} isAlone />
              {source !== undefined && ` · line ${source.line}`}
              {resume_at !== undefined && (
                <>
                  {' '}
                  · goes on <Time at={resume_at} isAlone />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
