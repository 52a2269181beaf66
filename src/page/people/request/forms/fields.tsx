import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { withNeed } from '../../../../contract/people/ledger/needed-answer.js';
import { Text } from '../../../text/text.js';
import type { FieldsProps } from '../draft.js';
import { ChoiceList } from './choice-list.js';
import { InputFields } from './input-fields.js';
import { ReviewFields } from './review-fields.js';
import { UploadFields } from './upload-fields.js';

/** The fields for what a request asks. */
export function Fields(props: FieldsProps): VNode {
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
