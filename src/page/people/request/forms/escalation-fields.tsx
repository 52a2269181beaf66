import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldsProps } from '../fields-props.js';

/** What has been done about it. */
export function EscalationFields({ subject, draft, onChange }: FieldsProps): VNode {
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
