import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { Diff } from '../../../text/diff.js';
import { countUnseen } from '../../../text/visible-text.js';
import { artifactText, type FieldsProps } from '../draft.js';
import { ChoiceList } from './choice-list.js';

/** A decision on what is shown, feedback, and a better version of it, whose changes are seen before they are sent. */
export function ReviewFields({ subject, draft, onChange, name }: FieldsProps): VNode {
  const id = useId();
  const before = artifactText(subject);
  const { edited } = draft;
  const unseen = before === null ? 0 : countUnseen(before);
  return (
    <>
      {subject.options.length === 0 ? (
        <label class="field">
          Decision
          <input
            type="text"
            value={draft.decision ?? ''}
            onInput={(event) => onChange({ ...draft, decision: event.currentTarget.value })}
          />
        </label>
      ) : (
        <ChoiceList
          label="Decision"
          choices={subject.options.map((value) => ({ value, label: String(value) }))}
          chosen={draft.decision === undefined ? [] : [draft.decision]}
          isMultiple={false}
          onChange={([decision]) => onChange({ ...draft, decision: String(decision) })}
          name={name}
        />
      )}
      <div class="field">
        <label for={`${id}-feedback`}>
          Feedback <span class="muted">(optional)</span>
        </label>
        <textarea
          id={`${id}-feedback`}
          rows={3}
          value={draft.feedback ?? ''}
          onInput={(event) => onChange({ ...draft, feedback: event.currentTarget.value })}
        />
      </div>
      {edited === undefined ? (
        <button type="button" onClick={() => onChange({ ...draft, edited: before ?? '' })}>
          {before === null ? 'Write an artifact' : 'Edit the artifact'}
        </button>
      ) : (
        <>
          <div class="field">
            <label for={`${id}-edited`}>Your version of the artifact</label>
            {unseen > 0 && (
              <p class="notice warn">
                It holds {unseen} character{unseen === 1 ? '' : 's'} that the field below doesn't show.
              </p>
            )}
            <textarea
              id={`${id}-edited`}
              rows={10}
              class="mono"
              spellcheck={false}
              value={edited}
              onInput={(event) => onChange({ ...draft, edited: event.currentTarget.value })}
            />
          </div>
          {before !== null && <Diff before={before} after={edited} label="Your changes" />}
          <button
            type="button"
            onClick={() => {
              const { edited: _edited, ...rest } = draft;
              onChange(rest);
            }}
          >
            Keep the original
          </button>
        </>
      )}
    </>
  );
}
