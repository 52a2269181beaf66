import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Verdict } from '../../../contract/people/decision.js';
import type { RequestOrigin } from '../../../contract/people/human-request.js';
import { kindNames, type AskedRequest, type ClosedRequest, type Run } from '../../api/shapes.js';
import { RunLink } from '../../runs/run-link.js';
import { costText, tokensText } from '../../runs/usage-text.js';
import { useSession } from '../../shell/session.js';
import { Card, Fact, Id, Text, Time } from '../../text/text.js';
import { AnswerForm } from './answer-form.js';
import { People, RequestContent } from './request-content.js';
import { ClosedRequestView } from './request-outcome.js';
import type { Deciding } from './use-decision.js';

interface RequestColumnsProps {
  request: AskedRequest;
  /** How it ended; null: it is open. */
  closed: ClosedRequest | null;
  isDisabled: boolean;
  deciding: Deciding;
  onDecided: (verdict: Verdict) => void;
  /** What else can be done with it. */
  children?: ComponentChildren;
}

/** From the procedure and the form for an answer; beside them, apart, what the host knows. */
export function RequestColumns({ request, closed, children, ...answering }: RequestColumnsProps): VNode {
  return (
    <div class="columns">
      <div class="column-main">
        {closed !== null && <ClosedRequestView request={closed} />}
        <RequestContent request={request} />
        <AnswerForm request={request} {...answering} />
        {children}
      </div>
      <aside class="column-side" aria-label="About this request">
        <HostFacts request={request} />
        <People request={request} />
      </aside>
    </div>
  );
}

/** What the host says of a request: none of it is written by a model. */
function HostFacts({ request }: { request: AskedRequest }): VNode {
  const { id, run_id, position, kind, procedure, created_at, deadline, expires_at, authority } = request;
  const run = useRunOf(run_id);
  return (
    <Card
      title="Facts from the host"
      of="host"
      note="From the run's own record. Texts of the procedure and of models are shown separately."
    >
      <dl class="facts">
        <Fact name="Kind">{kindNames[kind]}</Fact>
        <Fact name="Procedure">
          <Text text={procedure} short={200} />
        </Fact>
        <Fact name="Run">
          <RunLink id={run_id} />
        </Fact>
        <Fact name="Request">
          <Id text={id} />
        </Fact>
        <Fact name="Position">
          <Id text={position} />
        </Fact>
        {request.origin !== undefined && <OutsideFacts origin={request.origin} />}
        <Fact name="Asked">
          <Time at={created_at} />
        </Fact>
        <Fact name="Deadline">{deadline === null ? 'none' : <Time at={deadline} />}</Fact>
        {expires_at !== undefined && (
          <Fact name="Expires">
            <Time at={expires_at} />
          </Fact>
        )}
        <Fact name="Without an answer">{withoutAnswer(request)}</Fact>
        {run !== null && (
          <Fact name="Spent so far">
            {costText(run.usage)} · {tokensText(run.usage)}
          </Fact>
        )}
        <Fact name="Decisions">
          {authority === 'signed' ? 'signed: names are proven' : 'trusted-namespace: names are claims'}
        </Fact>
        <Fact name="Digest">
          <span class="mono digest">{request.digest}</span>
        </Fact>
      </dl>
    </Card>
  );
}

/** Who outside wants to know it, and who does what follows. */
function OutsideFacts({ origin }: { origin: RequestOrigin }): VNode {
  const { source, protocol, address, task } = origin;
  return (
    <>
      <Fact name="Wanted by">
        <Text text={`${source} (${protocol}) at ${address}`} short={200} />
      </Fact>
      {task !== null && (
        <Fact name="Its task">
          <Id text={task} />
        </Fact>
      )}
      <Fact name="Decided, and done">
        here, and there: of what is done the run has what the agent reports
      </Fact>
    </>
  );
}

function withoutAnswer({ deadline, on_timeout, default: byDefault, kind }: AskedRequest): ComponentChildren {
  if (deadline === null) return 'the run waits';
  if (on_timeout === 'error') return 'the procedure gets an error';
  if (kind === 'approval') return byDefault === true ? 'it counts as approved' : 'it counts as rejected';
  if (byDefault === null) return 'the procedure gets nothing';
  return (
    <>
      the procedure gets <Text text={JSON.stringify(byDefault)} short={200} />
    </>
  );
}

/** What the run has used; null until that is known. A decision doesn't hang on it. */
function useRunOf(id: string): Run | null {
  const { api, isLink } = useSession();
  const [run, setRun] = useState<Run | null>(null);
  useEffect(() => {
    if (isLink) return undefined;
    const asked = new AbortController();
    api.get('/runs/{run}', { run: id }, { signal: asked.signal }).then(setRun, () => setRun(null));
    return () => asked.abort();
  }, [api, id, isLink]);
  return run;
}
