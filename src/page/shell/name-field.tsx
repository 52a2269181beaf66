import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { useSession } from './session.js';

/** Where nobody proves who they are: the name that decisions are by. */
export function NameField(): VNode {
  const { name, claimName } = useSession();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Your name</label>
      <input
        id={id}
        type="text"
        autocomplete="username"
        maxLength={200}
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
