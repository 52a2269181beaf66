import type { VNode } from 'preact';
import { kindNames, type AskedRequest } from '../../api/shapes.js';
import { Link } from '../../shell/navigation.js';
import { requestPath } from '../../shell/route.js';
import { useSession } from '../../shell/session.js';
import { Text } from '../../text/text.js';
import { Time, useNow } from '../../text/time.js';

const soonMs = 3_600_000;

/** One request of the inbox: what somebody needs to choose what to look at first. */
export function InboxRow({ request }: { request: AskedRequest }): VNode {
  const { name } = useSession();
  const now = useNow();
  const {
    id,
    kind,
    message,
    procedure,
    created_at,
    deadline,
    approvers,
    quorum,
    votes = [],
    hints,
  } = request;
  const isSoon = deadline !== null && new Date(deadline).getTime() - now < soonMs;
  const hasVoted = votes.some(({ by }) => by === name);
  return (
    <li class="row">
      <span class={`kind ${kind}`}>{kindNames[kind]}</span>
      <div class="row-main">
        <Link to={requestPath(id)} class="row-link">
          <Text text={hints?.label ?? message} short={240} />
        </Link>
        <p class="row-facts">
          <span>
            <Text text={procedure} short={80} />
          </span>
          <span class="mono">
            <Text text={id} short={80} />
          </span>
          <span>
            asked <Time at={created_at} isAlone />
          </span>
          {approvers.length > 0 && (
            <span>
              for <Text text={approvers.join(', ')} short={80} />
            </span>
          )}
        </p>
      </div>
      <div class="row-end">
        {quorum !== undefined && (
          <span class="badge">
            {votes.length} of {quorum} said
          </span>
        )}
        {hasVoted && <span class="badge good">you have said</span>}
        {request.preconditions_before !== undefined && <span class="badge warn">asked anew</span>}
        {deadline !== null && (
          <span class={isSoon ? 'badge warn' : 'badge'}>
            due <Time at={deadline} isAlone />
          </span>
        )}
      </div>
    </li>
  );
}
