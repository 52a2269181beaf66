import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api.js';
import { kindNames, type AskedRequest } from '../../api/shapes.js';
import { RunLink } from '../../runs/run-link.js';
import { goTo, Heading, Link, useTitle } from '../../shell/navigation.js';
import { useShortcuts } from '../../shell/use-shortcuts.js';
import { Notice, Text, Time } from '../../text/text.js';
import { Delegate } from './delegate.js';
import { RequestColumns } from './request-columns.js';
import { ClosedRequestView, VerdictNotice } from './request-outcome.js';
import { useDecision } from './use-decision.js';
import { useRequest, type OpenedRequest } from './use-request.js';

/** One request: what somebody needs to decide, and the form to do so. */
export function RequestPlace({ id }: { id: string }): VNode {
  const opened = useRequest(id);
  const { state, shown, problem, read } = opened;
  useShortcuts({ u: () => goTo('/') });
  const kind = state === null ? 'Request' : kindNameOf(state.request.kind);
  useTitle(`${kind} ${id}`);
  return (
    <>
      <p class="crumbs">
        <Link to="/">Back to the inbox</Link>
      </p>
      {problem !== null && (
        <div class="notice bad" role="alert">
          <p>
            {problem instanceof ApiError && problem.status === 404
              ? `There is no request ${id}.`
              : problem.message}
          </p>
          <button type="button" onClick={() => void read()}>
            Try again
          </button>
        </div>
      )}
      {state === null && problem === null && <p class="loading">Loading …</p>}
      {shown !== null && <OpenRequest opened={opened} shown={shown} />}
      {shown === null && state?.state === 'closed' && (
        <>
          <Heading>{kind}, closed</Heading>
          <ClosedRequestView request={state.request} />
        </>
      )}
    </>
  );
}

function kindNameOf(kind: string): string {
  return Object.hasOwn(kindNames, kind) ? kindNames[kind as keyof typeof kindNames] : kind;
}

/** A request that was open when it was looked at first. When it changes or closes, what was typed stays. */
function OpenRequest({ opened, shown }: { opened: OpenedRequest; shown: AskedRequest }): VNode {
  const { state, isChanged, read, accept } = opened;
  const deciding = useDecision(shown);
  const [isMine, setMine] = useState(false);
  const closed = state?.state === 'closed' ? state.request : null;
  const newest = state?.state === 'open' ? state.request : shown;
  const { kind, procedure, run_id, deadline } = newest;
  const votes = newest.votes?.length ?? 0;
  const isDisabled = closed !== null || isChanged;
  return (
    <>
      <div class="head">
        <Heading>
          <span class={`kind ${kind}`}>{kindNames[kind]}</span> <Text text={procedure} short={80} />
        </Heading>
        <p class="muted head-facts">
          <span>
            run <RunLink id={run_id} />
          </span>
          {deadline !== null && closed === null && (
            <span>
              due <Time at={deadline} />
            </span>
          )}
        </p>
      </div>
      <div class="notices" aria-live="polite">
        {isChanged && (
          <div class="notice warn">
            <p>
              <strong>The request changed while you had it open.</strong> What you typed is kept. Look at what
              it shows now before you decide.
            </p>
            <button type="button" onClick={accept}>
              I have looked at it
            </button>
          </div>
        )}
        {votes > (shown.votes?.length ?? 0) && closed === null && !isMine && (
          <p class="notice">Somebody has decided meanwhile; more people must say the same. See “People”.</p>
        )}
        <VerdictNotice deciding={deciding} closed={closed} />
        {closed !== null && !isMine && (
          <Notice tone="warn" title="The request was closed while you had it open.">
            Nothing that you send counts any more; what you typed is still below.
          </Notice>
        )}
      </div>
      <RequestColumns
        request={newest}
        closed={closed}
        isDisabled={isDisabled}
        deciding={deciding}
        onDecided={(verdict) => {
          setMine(verdict.outcome === 'accepted' || verdict.outcome === 'duplicate');
          void read();
        }}
      >
        {closed === null && <Delegate request={newest} deciding={deciding} onDone={() => void read()} />}
      </RequestColumns>
    </>
  );
}
