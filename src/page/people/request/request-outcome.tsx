import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { DecisionOutcome } from '../../../contract/people/decision.js';
import type { ClosedRequest } from '../../api/shapes.js';
import { RunLink } from '../../runs/run-link.js';
import { Link } from '../../shell/navigation.js';
import { runPath } from '../../shell/route.js';
import { useSession } from '../../shell/session.js';
import { Card, Comment, Fact, Id, Json, Text, Time } from '../../text/text.js';
import type { Deciding } from './use-decision.js';
import { answerOfClosed } from './use-request.js';

/** What became of a request. */
export function ClosedRequestView({ request }: { request: ClosedRequest }): VNode {
  const answer = answerOfClosed(request);
  const { message, run_id, id } = request;
  return (
    <Card title="Outcome">
      <Answered request={request} />
      <Comment text={answer?.comment} />
      {answer !== null && answer.value !== null && typeof answer.value !== 'boolean' && (
        <Json value={answer.value} />
      )}
      <dl class="facts">
        <Fact name="Asked">
          <Text text={message} />
        </Fact>
        <Fact name="Request">
          <Id text={id} />
        </Fact>
        <Fact name="Run">
          <RunLink id={run_id} />
        </Fact>
      </dl>
    </Card>
  );
}

/** How a request ended, in one sentence. */
function Answered({ request }: { request: ClosedRequest }): VNode {
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

/** What an outcome means to whoever decided. */
const words: Readonly<Record<DecisionOutcome, { tone: 'good' | 'warn' | 'bad'; title: string }>> = {
  accepted: { tone: 'good', title: 'Your decision was accepted.' },
  duplicate: { tone: 'good', title: 'Your decision was accepted before. It counts once.' },
  early: { tone: 'warn', title: 'Your decision is kept until the run asks.' },
  verifying: { tone: 'warn', title: 'Your decision is kept. Its signature is being verified.' },
  late: { tone: 'bad', title: 'Too late: the request was closed before.' },
  not_allowed: { tone: 'bad', title: 'You are not allowed to decide this.' },
  invalid: {
    tone: 'bad',
    title: 'The answer is not valid. Nothing was decided. Change it and send it again.',
  },
  unknown: { tone: 'bad', title: 'This request no longer exists.' },
};

interface VerdictNoticeProps {
  deciding: Deciding;
  closed: ClosedRequest | null;
}

/** What became of a decision that was sent from here; of one that came too late also who was first. */
export function VerdictNotice({ deciding, closed }: VerdictNoticeProps): VNode | null {
  const { verdict, problem } = deciding;
  const { isLink } = useSession();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (verdict !== null || problem !== null) notice.current?.focus();
  }, [verdict, problem]);
  if (problem !== null)
    return (
      <div class="notice bad" ref={notice} tabIndex={-1}>
        <p>
          <strong>The result is unknown.</strong> {problem}
        </p>
        <p>Send it again. The same decision counts only once.</p>
      </div>
    );
  if (verdict === null) return null;
  const { tone, title } = words[verdict.outcome];
  return (
    <div class={`notice ${tone}`} ref={notice} tabIndex={-1}>
      <p>
        <strong>{verdict.outcome === 'accepted' && verdict.verb !== 'decide' ? 'Done.' : title}</strong>{' '}
        <Text text={verdict.message} short={600} />
      </p>
      {verdict.outcome === 'late' && closed !== null && <Answered request={closed} />}
      {!isLink && (
        <p class="next">
          <Link to="/">Back to the inbox</Link>
          {closed !== null && <Link to={runPath(closed.run_id)}>Follow the run</Link>}
        </p>
      )}
    </div>
  );
}
