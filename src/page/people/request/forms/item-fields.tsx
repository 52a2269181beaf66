import type { VNode } from 'preact';
import { withNeed } from '../../../../contract/people/ledger/needed-answer.js';
import { Text } from '../../../text/text.js';
import type { FieldsProps } from '../fields-props.js';
import { OneField } from './one-field.js';

/** Several questions in one form. */
export function ItemFields({ subject, draft, onChange, name }: FieldsProps): VNode {
  if (subject.form?.type !== 'items') return <p class="notice bad">The request names no questions.</p>;
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
