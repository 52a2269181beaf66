import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api.js';
import type { StreamState } from '../api/event-stream.js';
import { Problem, Text } from '../text/text.js';
import { goTo, Link } from './navigation.js';
import type { Route } from './route.js';
import { useSession } from './session.js';
import { areShortcutsOn, setShortcuts, useShortcuts } from './use-shortcuts.js';

interface ShellProps {
  route: Route;
  live: StreamState;
  children: ComponentChildren;
}

/** What stands around every place of the page: where one is, who one is, and whether what is shown is fresh. */
export function Shell({ route, live, children }: ShellProps): VNode {
  const [isHelp, setHelp] = useState(false);
  useShortcuts({ '?': () => setHelp(true), g: () => goTo('/'), l: () => goTo('/runs') });
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <Link to="/" class="brand">
            <span class="brand-mark" aria-hidden="true" />
            Tactus
          </Link>
          <nav aria-label="Pages">
            <Link to="/" isCurrent={route.page === 'inbox' || route.page === 'request'}>
              Inbox
            </Link>
            <Link to="/runs" isCurrent={route.page === 'runs' || route.page === 'run'}>
              Runs
            </Link>
            <Link to="/dead-letters" isCurrent={route.page === 'dead-letters'}>
              Dead letters
            </Link>
          </nav>
          <div class="top-end">
            <span class={`live ${live}`} role="status">
              <span class="dot" aria-hidden="true" />
              {live === 'live' ? 'Live' : 'Reconnecting …'}
            </span>
            <Who />
            <button type="button" class="quiet" aria-label="Keyboard shortcuts" onClick={() => setHelp(true)}>
              ?
            </button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {isHelp && <ShortcutsDialog onClose={() => setHelp(false)} />}
    </>
  );
}

/** Who is signed in, and for which namespace. */
function Who(): VNode {
  const { me, api, name, signOut, chooseNamespace } = useSession();
  return (
    <>
      {me.namespaces.length > 1 && (
        <select
          aria-label="Namespace"
          value={api.namespace}
          onChange={(event) => chooseNamespace(event.currentTarget.value)}
        >
          {me.namespaces.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      )}
      {me.name === null ? (
        <span class="who" title="Nobody checks names here: the name of a decision is a claim">
          <span class="who-mode">trusted-namespace</span>
          {name !== '' && <Text text={name} short={40} />}
        </span>
      ) : (
        <>
          <span class="who">
            <Text text={me.name} short={40} />
          </span>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      )}
    </>
  );
}

const shortcuts = [
  ['j / k', 'next / previous request or run in a list'],
  ['Enter', 'open what has the focus'],
  ['/', 'search'],
  ['g', 'inbox'],
  ['l', 'runs'],
  ['u', 'back from a request or a run to its list'],
  ['f', 'to the first field of the form'],
  ['a / r', 'of an approval: to “Approve” / “Reject”. Enter then presses the button: no single key decides'],
  ['?', 'this list'],
] as const;

/** What can be done by keyboard. */
function ShortcutsDialog({ onClose }: { onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(areShortcutsOn());
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">Keyboard</h2>
      <p>You can reach everything with Tab, Enter and Space. These keys are shortcuts:</p>
      <dl class="shortcuts">
        {shortcuts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setShortcuts(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />
        Enable single-key shortcuts
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

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
        <Problem problem={problem} />
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </dialog>
  );
}
