import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { Text } from '../../../text/text.js';
import { visibleLine } from '../../../text/visible-text.js';
import { inputModeOf, type FieldsProps } from '../draft.js';
import { ChoiceList } from './choice-list.js';

/** Types of HTML's fields that take a text; what isn't among them is shown as one for any text. */
const fieldTypes = [
  'text',
  'email',
  'url',
  'tel',
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
  'password',
  'search',
] as const;

/** A text, a number, yes or no, one of some options, or any JSON. */
export function InputFields({ subject, draft, onChange, name }: FieldsProps): VNode {
  const id = useId();
  const { hints = {}, options } = subject;
  const mode = inputModeOf(subject);
  const label = hints.label ?? (mode === 'json' ? 'Answer, as JSON' : 'Answer');
  if (mode === 'options')
    return (
      <ChoiceList
        label={label}
        choices={options.map((value) => ({ value, label: String(value) }))}
        chosen={draft.chosen ?? []}
        onChange={(chosen) => onChange({ ...draft, chosen })}
        {...{ name, isMultiple: false }}
      />
    );
  if (mode === 'checkbox')
    return (
      <label class="choice">
        <input
          type="checkbox"
          checked={draft.approved ?? false}
          onChange={(event) => onChange({ ...draft, approved: event.currentTarget.checked })}
        />
        <Text text={label} short={300} />
      </label>
    );
  const common = {
    id,
    placeholder: visibleLine((hints.placeholder ?? '').slice(0, 300)),
    required: hints.required === true,
    value: draft.text ?? '',
    onInput: (event: { currentTarget: { value: string } }) =>
      onChange({ ...draft, text: event.currentTarget.value }),
  };
  const isLong = mode === 'json' || hints.multiline === true;
  return (
    <div class="field">
      <label for={id}>
        <Text text={label} short={300} />
        {hints.required !== true && mode === 'text' && <span class="muted"> (may be empty)</span>}
      </label>
      {isLong ? (
        <textarea
          {...common}
          rows={6}
          class={mode === 'json' ? 'mono' : undefined}
          spellcheck={mode !== 'json'}
        />
      ) : (
        <input
          {...common}
          type={mode === 'number' ? 'text' : fieldType(hints.input_type)}
          inputMode={mode === 'number' ? 'decimal' : undefined}
        />
      )}
    </div>
  );
}

/** The types of the library want one type at a time. */
function fieldType(wanted: string | undefined): 'text' {
  return (fieldTypes.find((type) => type === wanted) ?? 'text') as 'text';
}
