import type { VNode } from 'preact';
import type { FieldsProps } from '../fields-props.js';

const choices = [
  [true, 'Yes'],
  [false, 'No'],
] as const;

/** Yes or no, as one of several questions. */
export function ApprovalFields({ draft, onChange, name }: FieldsProps): VNode {
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
