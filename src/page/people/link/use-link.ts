import { useCallback, useEffect } from 'preact/hooks';
import { messageOf } from '../../api/api.js';
import type { AskedRequest, LinkedState } from '../../api/shapes.js';
import { useOpened } from '../request/use-opened.js';
import type { LinkApi } from './link-api.js';

export interface OpenedLink {
  /** As it stands; null: not read yet. */
  state: LinkedState | null;
  /** The request as it was when the link was opened; null: it could not be answered then. */
  shown: AskedRequest | null;
  problem: string | null;
  read: () => Promise<void>;
}

const isGone = (found: LinkedState | Error): boolean => !(found instanceof Error) && found.state === 'gone';

/** What a link leads to: read when it is opened, when somebody comes back to it, and when it was answered. */
export function useLink(api: LinkApi): OpenedLink {
  const look = useCallback(() => api.read(), [api]);
  const { state, shown, problem, read } = useOpened<LinkedState>(look, isGone);
  useEffect(() => {
    const again = (): void => {
      if (document.visibilityState === 'visible') void read();
    };
    document.addEventListener('visibilitychange', again);
    return () => document.removeEventListener('visibilitychange', again);
  }, [read]);
  return { state, shown, problem: problem === null ? null : messageOf(problem), read };
}
