import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { JsonValue } from '../../../contract/json/json.js';
import type { Verdict } from '../../../contract/people/decision.js';
import { namesPeople } from '../../../contract/people/human-request.js';
import type { AskedRequest } from '../../api/shapes.js';
import { NameField } from '../../shell/name-field.js';
import { useSession } from '../../shell/session.js';
import { useShortcuts } from '../../shell/use-shortcuts.js';
import { readDraft, type Draft } from './draft.js';
import { Fields } from './forms/fields.js';
import type { Deciding } from './use-decision.js';

interface AnswerFormProps {
  request: AskedRequest;
  isDisabled: boolean;
  deciding: Deciding;
  onDecided: (verdict: Verdict) => void;
}

/** The form for an answer. Nothing is chosen beforehand, and nothing that decides has the focus by itself. */
export function AnswerForm({ request, isDisabled, deciding, onDecided }: AnswerFormProps): VNode {
  const { me, name } = useSession();
  const [draft, setDraft] = useState<Draft>({});
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const isApproval = request.kind === 'approval';
  const mayDecide = me.roles.includes('decide');
  const focusOn = (selector: string): void =>
    document.querySelector<HTMLElement>(`#${id} ${selector}`)?.focus();
  useShortcuts({
    f: () => focusOn('input:not(:disabled), textarea:not(:disabled), select:not(:disabled)'),
    ...(isApproval ? { a: () => focusOn('.approve'), r: () => focusOn('.reject') } : {}),
  });

  const isNameNeeded = me.name === null && namesPeople(request);
  const send = async (value: JsonValue): Promise<void> => {
    if (isNameNeeded && name.trim() === '') {
      setProblem('Type your name. This decision needs a name.');
      return;
    }
    setProblem(null);
    const verdict = await deciding.send('decide', { value, ...(comment.trim() === '' ? {} : { comment }) });
    if (verdict !== null) onDecided(verdict);
  };
  const submit = (): void => {
    const drafted = readDraft(request, draft);
    if ('problem' in drafted) setProblem(drafted.problem);
    else void send(drafted.value);
  };
  const mine = request.approvers.length > 0 && name !== '' && !request.approvers.includes(name);
  return (
    <section class="card answer" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Your decision</h2>
      {!mayDecide && <p class="notice">You can read requests, but you can't decide them.</p>}
      {mine && !isDisabled && <p class="notice warn">You are not an approver of this request.</p>}
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isApproval) submit();
        }}
      >
        <fieldset disabled={isDisabled || !mayDecide || deciding.isBusy} class="bare">
          <legend class="only-read">Your decision</legend>
          {!isApproval && <Fields subject={request} draft={draft} onChange={setDraft} name="answer" />}
          <div class="field">
            <label for={`${id}-comment`}>
              Comment <span class="muted">(optional)</span>
            </label>
            <textarea
              id={`${id}-comment`}
              rows={2}
              value={comment}
              onInput={(event) => setComment(event.currentTarget.value)}
            />
          </div>
          {me.name === null && <NameField isNeeded={isNameNeeded} />}
          {problem !== null && (
            <p class="notice bad" role="alert">
              {problem}
            </p>
          )}
          {isApproval ? (
            <div class="decide">
              <button type="button" class="approve" onClick={() => void send(true)}>
                Approve
              </button>
              <button type="button" class="reject" onClick={() => void send(false)}>
                Reject
              </button>
            </div>
          ) : (
            <div class="decide">
              <button type="submit" class="primary">
                {request.kind === 'escalation' ? 'Settled' : 'Send'}
              </button>
            </div>
          )}
          {me.name === null && (
            <p class="muted">
              Mode <code>trusted-namespace</code>: nobody checks your name. It is recorded as a claim.
            </p>
          )}
        </fieldset>
      </form>
    </section>
  );
}
