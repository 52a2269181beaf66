import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Api, ApiError, askServer, jsonInit, messageOf } from '../api/api.js';
import { signedInEvent } from '../api/event-stream.js';
import type { Me } from '../api/shapes.js';

export interface Session {
  me: Me;
  api: Api;
  /** Who decides: proven, or claimed by whoever sits there; empty: nobody has said it yet. */
  name: string;
  claimName: (name: string) => void;
  chooseNamespace: (namespace: string) => void;
  signOut: () => Promise<void>;
  /** They came by a link: they see one request, and nothing else of its run. */
  isLink: boolean;
}

export const SessionContext = createContext<Session | null>(null);

/** Below the sign-in there is always one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('You are not signed in');
  return session;
}

export type SignedIn =
  | { state: 'asking' }
  | { state: 'failed'; problem: string; retry: () => void }
  /** A token is needed. `session`: somebody was signed in, and what they typed is still there. */
  | { state: 'out'; session: Session | null; signIn: (token: string) => Promise<void> }
  | { state: 'in'; session: Session };

const nameKey = 'tactus-name';
const namespaceKey = 'tactus-namespace';

/** Who sits there. */
export function useSignIn(): SignedIn {
  const [me, setMe] = useState<Me | null>(null);
  const [isOut, setOut] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [claimed, setClaimed] = useState(localStorage.getItem(nameKey) ?? '');
  const [chosen, setChosen] = useState(sessionStorage.getItem(namespaceKey));
  const [api, setApi] = useState<Api | null>(null);

  const read = async (): Promise<void> => {
    setProblem(null);
    try {
      setMe((await askServer('/me')) as Me);
      setOut(false);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) setOut(true);
      else setProblem(messageOf(error));
    }
  };
  useEffect(() => void read(), []);
  const namespace = me?.namespaces.find((each) => each === chosen) ?? me?.namespaces[0];
  useEffect(() => {
    setApi(namespace === undefined ? null : new Api(namespace, () => setOut(true)));
  }, [namespace]);

  const signIn = async (token: string): Promise<void> => {
    setMe((await askServer('/session', jsonInit({ token }))) as Me);
    setOut(false);
    window.dispatchEvent(new Event(signedInEvent));
  };
  const session: Session | null =
    me === null || api === null
      ? null
      : {
          me,
          api,
          name: me.name ?? claimed,
          claimName: (name) => {
            localStorage.setItem(nameKey, name);
            setClaimed(name);
          },
          chooseNamespace: (name) => {
            sessionStorage.setItem(namespaceKey, name);
            setChosen(name);
          },
          signOut: async () => {
            await askServer('/session', { method: 'DELETE' });
            setMe(null);
            setOut(true);
          },
          isLink: false,
        };
  if (isOut) return { state: 'out', session, signIn };
  if (problem !== null && me === null) return { state: 'failed', problem, retry: () => void read() };
  if (me !== null && me.namespaces.length === 0)
    return {
      state: 'failed',
      problem: 'You have no access to any namespace of this server.',
      retry: () => void read(),
    };
  return session === null ? { state: 'asking' } : { state: 'in', session };
}
