import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { useSession } from './session.js';

/** Where nobody proves who they are: the name that decisions are by. `isNeeded`: one without a name doesn't count. */
export function NameField({ isNeeded }: { isNeeded: boolean }): VNode {
  const { name, claimName } = useSession();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        Your name <span class="muted">({isNeeded ? 'needed: it matters who decides' : 'optional'})</span>
      </label>
      <input
        id={id}
        type="text"
        autocomplete="username"
        maxLength={200}
        aria-required={isNeeded}
        value={name}
        aria-describedby={`${id}-hint`}
        onInput={(event) => claimName(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="only-read">
        Mode trusted-namespace: nobody checks it, and it is recorded as a claim.
      </span>
    </div>
  );
}
