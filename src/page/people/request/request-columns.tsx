import type { ComponentChildren, VNode } from 'preact';
import type { Verdict } from '../../../contract/people/decision.js';
import type { AskedRequest, ClosedRequest } from '../../api/shapes.js';
import { AnswerForm } from './answer-form.js';
import { ClosedRequestView } from './closed-request.js';
import { HostFacts } from './host-facts.js';
import { People } from './people.js';
import { Shown } from './shown.js';
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

/** What the procedure says and the form for an answer; beside them, apart, what the host knows. */
export function RequestColumns({ request, closed, children, ...answering }: RequestColumnsProps): VNode {
  return (
    <div class="columns">
      <div class="column-main">
        {closed !== null && <ClosedRequestView request={closed} />}
        <Shown request={request} />
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
