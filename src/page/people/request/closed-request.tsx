import type { VNode } from 'preact';
import type { ClosedRequest } from '../../api/shapes.js';
import { RunLink } from '../../runs/run-link.js';
import { Json } from '../../text/json.js';
import { Text } from '../../text/text.js';
import { Time } from '../../text/time.js';
import { answerOfClosed } from './use-request.js';

/** What became of a request. */
export function ClosedRequestView({ request }: { request: ClosedRequest }): VNode {
  const answer = answerOfClosed(request);
  const { message, run_id, id } = request;
  return (
    <section class="card" aria-labelledby="closed-title">
      <h2 id="closed-title">Outcome</h2>
      <Answered request={request} />
      {answer?.comment !== null && answer !== null && (
        <blockquote>
          <Text text={answer.comment} />
        </blockquote>
      )}
      {answer !== null && answer.value !== null && typeof answer.value !== 'boolean' && (
        <Json value={answer.value} />
      )}
      <dl class="facts">
        <div>
          <dt>Asked</dt>
          <dd>
            <Text text={message} />
          </dd>
        </div>
        <div>
          <dt>Request</dt>
          <dd class="mono">
            <Text text={id} short={200} />
          </dd>
        </div>
        <div>
          <dt>Run</dt>
          <dd>
            <RunLink id={run_id} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** How a request ended, in one sentence. */
export function Answered({ request }: { request: ClosedRequest }): VNode {
  const answer = answerOfClosed(request);
  if (answer === null)
    return (
      <p>
        It ended without an answer{request.error === null ? '' : ': '}
        {request.error !== null && <Text text={request.error} short={600} />}
      </p>
    );
  const who = answer.by === null ? 'Nobody' : answer.by;
  if (answer.timed_out)
    return (
      <p>
        Nobody decided in time, <Time at={request.closed_at} />.
      </p>
    );
  return (
    <p>
      <strong>
        <Text text={answer.by === null ? 'Anonymous' : who} short={200} />
      </strong>{' '}
      {answer.withdrawn ? 'took it back' : verbOf(request.kind, answer.value)},{' '}
      <Time at={request.closed_at} />
      {answer.by !== null && !answer.by_verified && <span class="muted"> (name not verified)</span>}
      {answer.early && <strong> before the run asked</strong>}.
    </p>
  );
}

function verbOf(kind: string, value: unknown): string {
  if (kind !== 'approval') return 'answered';
  return value === true ? 'approved' : 'rejected';
}
