import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { DecisionOutcome } from '../../../contract/people/decision.js';
import type { ClosedRequest } from '../../api/shapes.js';
import { Link } from '../../shell/navigation.js';
import { runPath } from '../../shell/route.js';
import { useSession } from '../../shell/session.js';
import { Text } from '../../text/text.js';
import { Answered } from './closed-request.js';
import type { Deciding } from './use-decision.js';

/** What an outcome means to whoever decided. */
const words: Readonly<Record<DecisionOutcome, { tone: 'good' | 'warn' | 'bad'; title: string }>> = {
  accepted: { tone: 'good', title: 'Your decision counts.' },
  duplicate: { tone: 'good', title: 'It was there already: your decision counts once.' },
  early: { tone: 'warn', title: 'It is kept: the run has not asked yet.' },
  verifying: { tone: 'warn', title: 'It is kept: its signature has yet to be looked at.' },
  late: { tone: 'bad', title: 'Too late: your decision does not count.' },
  not_allowed: { tone: 'bad', title: 'You may not decide this.' },
  invalid: {
    tone: 'bad',
    title: 'The answer does not fit. Nothing was decided; change it and send it again.',
  },
  unknown: { tone: 'bad', title: 'There is no such request any more.' },
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
          <strong>Whether it counts is not known.</strong> {problem}
        </p>
        <p>Send it again: it is the same decision, and counts once.</p>
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
