import type { VNode } from 'preact';
import type { AskedRequest } from '../../api/shapes.js';
import { Text, Time } from '../../text/text.js';

/** Who may decide, who has, who is asked next, and who handed it on. */
export function People({ request }: { request: AskedRequest }): VNode {
  const {
    approvers,
    requester,
    quorum,
    votes = [],
    escalation = [],
    delegated = [],
    deliveries = [],
  } = request;
  return (
    <section class="card" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <dl class="facts">
        <div>
          <dt>May decide</dt>
          <dd>{approvers.length === 0 ? 'anybody' : <Names names={approvers} />}</dd>
        </div>
        {requester !== undefined && (
          <div>
            <dt>Requester</dt>
            <dd>
              <Text text={requester} short={200} /> <span class="muted">(may not decide)</span>
            </dd>
          </div>
        )}
        {quorum !== undefined && (
          <div>
            <dt>Answers needed</dt>
            <dd>
              {quorum} people
              <meter
                min={0}
                max={quorum}
                value={Math.min(votes.length, quorum)}
                aria-label="Number of answers"
              >
                {votes.length} of {quorum}
              </meter>
            </dd>
          </div>
        )}
      </dl>
      {votes.length > 0 && (
        <>
          <h3>Answers so far</h3>
          <ul class="plain">
            {votes.map(({ by, value, comment, at }) => (
              <li key={by}>
                <Text text={by} short={100} />: <strong>{<Text text={spoken(value)} short={300} />}</strong>,{' '}
                <Time at={at} isAlone />
                <Comment text={comment} />
              </li>
            ))}
          </ul>
        </>
      )}
      {escalation.length > 0 && (
        <>
          <h3>Also notified</h3>
          <ol class="plain">
            {escalation.map(({ to, at, asked }) => (
              <li key={at}>
                <Names names={to} />{' '}
                <span class={asked ? 'badge warn' : 'badge'}>{asked ? 'asked' : 'will be asked'}</span>{' '}
                <Time at={at} isAlone />
              </li>
            ))}
          </ol>
        </>
      )}
      {deliveries.length > 0 && (
        <>
          <h3>Messages sent</h3>
          <ul class="plain">
            {deliveries.map(({ channel, reason, number, status, at, problem }) => (
              <li key={`${channel} ${reason} ${number}`}>
                <Text text={channel} short={100} />{' '}
                <span class={status === 'undelivered' ? 'badge warn' : 'badge'}>{status}</span>{' '}
                <Time at={at} isAlone />
                {problem !== undefined && (
                  <p class="muted">
                    <Text text={problem} short={300} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {delegated.length > 0 && (
        <>
          <h3>Delegated</h3>
          <ul class="plain">
            {delegated.map(({ by, to, comment, at }) => (
              <li key={at}>
                <Text text={by} short={100} /> to <Text text={to} short={100} />, <Time at={at} isAlone />
                <Comment text={comment} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Names({ names }: { names: readonly string[] }): VNode {
  return (
    <span class="names">
      {names.map((name) => (
        <span key={name} class="badge">
          <Text text={name} short={100} />
        </span>
      ))}
    </span>
  );
}

function spoken(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Comment({ text }: { text: string | null }): VNode | null {
  if (text === null || text === '') return null;
  return (
    <blockquote>
      <Text text={text} />
    </blockquote>
  );
}
