import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { JsonValue } from '../../../contract/json/json.js';
import type { Verdict } from '../../../contract/people/decision.js';
import { namesPeople } from '../../../contract/people/human-request.js';
import { withNeed } from '../../../contract/people/ledger/needed-answer.js';
import type { AskedRequest } from '../../api/shapes.js';
import { NameField } from '../../shell/name-field.js';
import { useSession } from '../../shell/session.js';
import { useShortcuts } from '../../shell/use-shortcuts.js';
import { Problem, Text } from '../../text/text.js';
import { readDraft, type Draft, type FieldsProps } from './draft.js';
import { ChoiceList } from './forms/choice-list.js';
import { InputFields } from './forms/input-fields.js';
import { ReviewFields } from './forms/review-fields.js';
import { UploadFields } from './forms/upload-fields.js';
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
          <Problem problem={problem} />
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

/** The fields for what a request asks. */
function Fields(props: FieldsProps): VNode {
  return props.subject.kind === 'multiple' ? <ItemFields {...props} /> : <OneField {...props} />;
}

/** Several questions in one form. */
function ItemFields({ subject, draft, onChange, name }: FieldsProps): VNode {
  if (subject.form?.type !== 'items') return <p class="notice bad">The request has no questions.</p>;
  const drafts = draft.items ?? {};
  return (
    <>
      {subject.form.items.map((item) => (
        <fieldset key={item.id} class="item">
          <legend>
            <Text text={item.label} short={300} />
            <span class="muted"> {item.required ? '(needed)' : '(optional)'}</span>
          </legend>
          {item.message !== item.label && (
            <p>
              <Text text={item.message} />
            </p>
          )}
          <OneField
            subject={{ ...withNeed(item), context: null }}
            draft={(Object.hasOwn(drafts, item.id) ? drafts[item.id] : undefined) ?? {}}
            onChange={(changed) => onChange({ ...draft, items: withOwn(drafts, item.id, changed) })}
            name={`${name}-${item.id}`}
          />
        </fieldset>
      ))}
    </>
  );
}

/** Ids are an author's: one may be called `__proto__`. */
function withOwn<T>(object: Readonly<Record<string, T>>, key: string, value: T): Record<string, T> {
  return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== key), [key, value]]);
}

/** The fields for one question, which is a request of its own or one of several. */
function OneField(props: FieldsProps): VNode | null {
  switch (props.subject.kind) {
    case 'approval':
      return <ApprovalFields {...props} />;
    case 'input':
      return <InputFields {...props} />;
    case 'review':
      return <ReviewFields {...props} />;
    case 'select':
      return <SelectFields {...props} />;
    case 'upload':
      return <UploadFields {...props} />;
    case 'escalation':
      return <EscalationFields {...props} />;
    // Questions don't hold questions.
    case 'multiple':
      return null;
  }
}

const choices = [
  [true, 'Yes'],
  [false, 'No'],
] as const;

/** Yes or no, as one of several questions. */
function ApprovalFields({ draft, onChange, name }: FieldsProps): VNode {
  return (
    <div class="choices" role="radiogroup" aria-label="Yes or no">
      {choices.map(([value, label]) => (
        <label key={label} class="choice">
          <input
            type="radio"
            name={name}
            checked={draft.approved === value}
            onChange={() => onChange({ ...draft, approved: value })}
          />
          {label}
        </label>
      ))}
    </div>
  );
}

/** What has been done about it. */
function EscalationFields({ subject, draft, onChange }: FieldsProps): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        What was done {subject.hints?.required !== true && <span class="muted">(optional)</span>}
      </label>
      <textarea
        id={id}
        rows={3}
        value={draft.text ?? ''}
        onInput={(event) => onChange({ ...draft, text: event.currentTarget.value })}
      />
    </div>
  );
}

/** One of the options, or so many of them. */
function SelectFields({ subject, draft, onChange, name }: FieldsProps): VNode {
  const form = subject.form?.type === 'select' ? subject.form : null;
  const choices = form?.choices ?? subject.options.map((value) => ({ value, label: String(value) }));
  const isMultiple = form?.multiple === true;
  return (
    <ChoiceList
      label={
        form !== null && isMultiple ? howMany(form.min, form.max) : (subject.hints?.label ?? 'Choose one')
      }
      chosen={draft.chosen ?? []}
      onChange={(chosen) => onChange({ ...draft, chosen })}
      style={form?.style}
      {...{ choices, isMultiple, name }}
    />
  );
}

function howMany(min: number, max: number | null): string {
  if (max === null) return `Choose at least ${min}`;
  return min === max ? `Choose ${min}` : `Choose ${min} to ${max}`;
}
