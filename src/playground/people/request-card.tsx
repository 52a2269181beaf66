import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../contract/json/json.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { Text } from '../../page/text/text.js';

export interface RequestCardProps {
  position: string;
  ask: HumanAsk;
  /** @returns why the value is no answer; null: it is one */
  answer: (value: JsonValue) => string | null;
}

/** An open request to people, with what answers it. In the playground, one answer counts for all approvers. */
export function RequestCard({ position, ask, answer }: RequestCardProps): VNode {
  const [problem, setProblem] = useState<string | null>(null);
  const decide = (value: JsonValue): void => setProblem(answer(value));
  const { message, context, kind, options } = ask;
  return (
    <section class="request" aria-label={`Request ${position}`}>
      <h3>
        <Text text={message} />
      </h3>
      {context !== null && (
        <pre>
          <Text text={JSON.stringify(context, null, 2)} />
        </pre>
      )}
      <div class="actions">
        {kind === 'approval' && (
          <>
            <button type="button" class="primary" onClick={() => decide(true)}>
              Approve
            </button>
            <button type="button" onClick={() => decide(false)}>
              Reject
            </button>
          </>
        )}
        {kind !== 'approval' &&
          options.map((option) => (
            <button
              type="button"
              key={option}
              onClick={() => decide(kind === 'review' ? { decision: option } : option)}
            >
              <Text text={String(option)} short={80} />
            </button>
          ))}
      </div>
      {kind !== 'approval' && options.length === 0 && (
        <AnswerField isText={kind === 'input'} decide={decide} />
      )}
      {problem !== null && (
        <p role="alert" class="problem">
          <Text text={problem} />
        </p>
      )}
    </section>
  );
}

/** Any value: JSON where it can be read as such, else a text. */
export function AnswerField({
  isText,
  decide,
  label = 'Answer',
}: {
  isText: boolean;
  decide: (value: JsonValue) => void;
  label?: string;
}): VNode {
  const [text, setText] = useState('');
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        decide(isText ? text : valueOf(text));
      }}
    >
      <label>
        {label}
        {isText ? '' : ' (JSON or text)'}{' '}
        <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        Send
      </button>
    </form>
  );
}

function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
