import type { VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api.js';

interface SignInProps {
  signIn: (token: string) => Promise<void>;
  /** Somebody was signed in before: it comes over what they were at. */
  isAgain: boolean;
}

/** Asks for a token. */
export function SignIn({ signIn, isAgain }: SignInProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);

  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(token.trim());
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="sign-in"
      aria-labelledby={`${id}-title`}
      onCancel={(event) => event.preventDefault()}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1 id={`${id}-title`}>{isAgain ? 'Sign in again' : 'Sign in'}</h1>
        {isAgain && <p>Your session has expired. Your input is kept.</p>}
        <label for={id}>Token</label>
        <input
          id={id}
          type="password"
          autocomplete="current-password"
          required
          value={token}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id={`${id}-hint`} class="muted">
          The operator of this server creates one with <code>tactus-temporal serve token NAME</code>.
        </p>
        {problem !== null && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </dialog>
  );
}
