import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api.js';
import type { AskedRequest, LinkedState } from '../api/shapes.js';
import type { LinkApi } from './link-api.js';

export interface OpenedLink {
  /** As it stands; null: not read yet. */
  state: LinkedState | null;
  /** The request as it was when the link was opened; null: it could not be answered then. */
  shown: AskedRequest | null;
  problem: string | null;
  read: () => Promise<void>;
}

/** An answer that has just been taken may not be in the log yet. */
const recordingPausesMs = [200, 500, 1_000, 2_000];

/** What a link leads to: read when it is opened, when somebody comes back to it, and when it was answered. */
export function useLink(api: LinkApi): OpenedLink {
  const [state, setState] = useState<LinkedState | null>(null);
  const [shown, setShown] = useState<AskedRequest | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const reading = useRef(0);
  const wasOpen = useRef(false);

  const read = useCallback(async (): Promise<void> => {
    const turn = ++reading.current;
    for (let tries = 0; ; tries++) {
      try {
        const found = await api.read();
        if (turn !== reading.current) return;
        const pause = recordingPausesMs[tries];
        if (found.state === 'gone' && wasOpen.current && pause !== undefined) {
          await new Promise((resolve) => setTimeout(resolve, pause));
          continue;
        }
        setState(found);
        setProblem(null);
        if (found.state === 'open') {
          wasOpen.current = true;
          setShown((before) => before ?? found.request);
        }
      } catch (error) {
        if (turn === reading.current) setProblem(messageOf(error));
      }
      return;
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
