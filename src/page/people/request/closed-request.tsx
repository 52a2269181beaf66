import type { VNode } from 'preact';
import type { ClosedRequest } from '../../api/shapes.js';
import { RunLink } from '../../runs/run-link.js';
import { Json } from '../../text/json.js';
import { Text } from '../../text/text.js';
import { Answered } from './answered.js';
import { answerOfClosed } from './use-request.js';

/** What became of a request. */
export function ClosedRequestView({ request }: { request: ClosedRequest }): VNode {
  const answer = answerOfClosed(request);
  const { message, run_id, id } = request;
  return (
    <section class="card" aria-labelledby="closed-title">
      <h2 id="closed-title">How it ended</h2>
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
