import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { AskedRequest } from '../../api/shapes.js';
import { useSession } from '../../shell/session.js';
import type { Deciding, Verb } from './use-decision.js';

interface DelegateProps {
  request: AskedRequest;
  deciding: Deciding;
  onDone: () => void;
}

/** Lets somebody else decide, or nobody. */
export function Delegate({ request, deciding, onDone }: DelegateProps): VNode | null {
  const { me, name } = useSession();
  const [to, setTo] = useState('');
  const [comment, setComment] = useState('');
  const [isSure, setSure] = useState(false);
  const [isNameless, setNameless] = useState(false);
  const id = useId();
  if (!me.roles.includes('decide')) return null;
  const { requester } = request;
  const mayWithdraw = requester === undefined || requester === name;
  const send = async (verb: Verb, body: object): Promise<void> => {
    const isMissing = verb === 'delegate' && me.name === null && name.trim() === '';
    setNameless(isMissing);
    if (isMissing) return;
    const verdict = await deciding.send(verb, { ...body, ...(comment.trim() === '' ? {} : { comment }) });
    setSure(false);
    if (verdict !== null) onDone();
  };
  return (
    <details class="card more">
      <summary>Delegate{mayWithdraw ? ' or withdraw' : ''}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send('delegate', { to: to.trim() });
        }}
      >
        <fieldset disabled={deciding.isBusy} class="bare">
          <legend class="only-read">Delegate or withdraw</legend>
          <div class="field">
            <label for={`${id}-comment`}>
              Why <span class="muted">(optional)</span>
            </label>
            <input
              id={`${id}-comment`}
              type="text"
              value={comment}
              onInput={(event) => setComment(event.currentTarget.value)}
            />
          </div>
          <div class="field">
            <label for={id}>New approver</label>
            <input
              id={id}
              type="text"
              required
              maxLength={200}
              value={to}
              onInput={(event) => setTo(event.currentTarget.value)}
            />
          </div>
          {isNameless && (
            <p class="notice bad" role="alert">
              Type your name under “Your decision”. Delegating needs a name.
            </p>
          )}
          <div class="decide">
            <button type="submit">Delegate</button>
            {mayWithdraw &&
              (isSure ? (
                <button type="button" class="danger" onClick={() => void send('withdraw', {})}>
                  Yes, take it back for everybody
                </button>
              ) : (
                <button type="button" onClick={() => setSure(true)}>
                  Withdraw the request
                </button>
              ))}
          </div>
        </fieldset>
      </form>
    </details>
  );
}
