import type { VNode } from 'preact';
import type { HumanChoice, OptionValue } from '../../../../contract/people/human-request.js';
import { Text } from '../../../text/text.js';
import { visibleLine } from '../../../text/visible-text.js';

interface ChoiceListProps {
  label: string;
  choices: readonly HumanChoice[];
  chosen: readonly OptionValue[];
  isMultiple: boolean;
  /** A hint of the author: `dropdown`. */
  style?: string | undefined;
  onChange: (chosen: OptionValue[]) => void;
  name: string;
}

/** More of them are chosen from a list that opens. */
const mostRadios = 12;

/** One of some options, or several. None is chosen beforehand. */
export function ChoiceList({
  label,
  choices,
  chosen,
  isMultiple,
  style,
  onChange,
  name,
}: ChoiceListProps): VNode {
  if (!isMultiple && (style === 'dropdown' || choices.length > mostRadios))
    return (
      <label class="field">
        <Text text={label} short={300} />
        <select
          value={choices.findIndex(({ value }) => value === chosen[0])}
          onChange={(event) => {
            const choice = choices[Number(event.currentTarget.value)];
            onChange(choice === undefined ? [] : [choice.value]);
          }}
        >
          <option value={-1}>Choose …</option>
          {choices.map((choice, i) => (
            <option key={choice.value} value={i}>
              {visibleLine(choice.label.slice(0, 200))}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <fieldset class="choices">
      <legend>
        <Text text={label} short={300} />
      </legend>
      {choices.map(({ value, label: text, description }) => (
        <label key={value} class="choice">
          <input
            type={isMultiple ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(value)}
            onChange={(event) => {
              const isOn = event.currentTarget.checked;
              if (!isMultiple) onChange([value]);
              // In the order in which they are offered, whatever they were chosen in.
              else
                onChange(
                  choices
                    .map((each) => each.value)
                    .filter((each) => (each === value ? isOn : chosen.includes(each))),
                );
            }}
          />
          <span>
            <Text text={text} short={400} />
            {description !== undefined && (
              <span class="muted choice-more">
                <Text text={description} short={1_000} />
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
