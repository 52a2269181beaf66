import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api/api.js';
import type { AskedRequest, LinkedState, RequestState } from '../../api/shapes.js';
import { whenRecorded } from './when-recorded.js';

/** A request that was opened, by whatever way. */
export interface Opened<State> {
  /** As it stands; null: not read yet. */
  state: State | null;
  /** As it was when it was open first, or was put there since; null: it has not been open. */
  shown: AskedRequest | null;
  show: (request: AskedRequest) => void;
  problem: Error | null;
  read: () => Promise<void>;
}

/**
 * Reads a request when it is opened, and whenever that is asked for; the last reading counts. One that was open and isn't there is
 * looked for again: its answer may not be in the log yet. `look` and `isGone` are to stay the same from one drawing to the next.
 */
export function useOpened<State extends RequestState | LinkedState>(
  look: () => Promise<State | Error>,
  isGone: (found: State | Error) => boolean,
): Opened<State> {
  const [state, setState] = useState<State | null>(null);
  const [shown, show] = useState<AskedRequest | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const reading = useRef(0);
  const wasOpen = useRef(false);

  const read = useCallback(async (): Promise<void> => {
    const turn = ++reading.current;
    const isLast = (): boolean => turn === reading.current;
    try {
      const found = await whenRecorded(look, (each) => isGone(each) && wasOpen.current && isLast());
      if (!isLast()) return;
      if (found instanceof Error) throw found;
      setState(found);
      setProblem(null);
      if (found.state === 'open') {
        wasOpen.current = true;
        const { request } = found;
        show((before) => before ?? request);
      }
    } catch (error) {
      if (isLast()) setProblem(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }, [look, isGone]);
  useEffect(() => {
    void read();
    return () => {
      reading.current++;
    };
  }, [read]);
  return { state, shown, show, problem, read };
}
