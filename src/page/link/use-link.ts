import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api.js';
import type { AskedRequest, LinkedState } from '../api/shapes.js';
import { whenRecorded } from '../request/when-recorded.js';
import type { LinkApi } from './link-api.js';

export interface OpenedLink {
  /** As it stands; null: not read yet. */
  state: LinkedState | null;
  /** The request as it was when the link was opened; null: it could not be answered then. */
  shown: AskedRequest | null;
  problem: string | null;
  read: () => Promise<void>;
}

/** What a link leads to: read when it is opened, when somebody comes back to it, and when it was answered. */
export function useLink(api: LinkApi): OpenedLink {
  const [state, setState] = useState<LinkedState | null>(null);
  const [shown, setShown] = useState<AskedRequest | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const reading = useRef(0);
  const wasOpen = useRef(false);

  const read = useCallback(async (): Promise<void> => {
    const turn = ++reading.current;
    const isLast = (): boolean => turn === reading.current;
    try {
      const found = await whenRecorded(
        () => api.read(),
        (each) => each.state === 'gone' && wasOpen.current && isLast(),
      );
      if (!isLast()) return;
      setState(found);
      setProblem(null);
      if (found.state === 'open') {
        wasOpen.current = true;
        setShown((before) => before ?? found.request);
      }
    } catch (error) {
      if (isLast()) setProblem(messageOf(error));
    }
  }, [api]);
  useEffect(() => {
    void read();
    const again = (): void => {
      if (document.visibilityState === 'visible') void read();
    };
    document.addEventListener('visibilitychange', again);
    return () => {
      reading.current++;
      document.removeEventListener('visibilitychange', again);
    };
  }, [read]);
  return { state, shown, problem, read };
}
