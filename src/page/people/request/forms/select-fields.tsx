import type { VNode } from 'preact';
import type { FieldsProps } from '../fields-props.js';
import { ChoiceList } from './choice-list.js';

/** One of the options, or so many of them. */
export function SelectFields({ subject, draft, onChange, name }: FieldsProps): VNode {
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
