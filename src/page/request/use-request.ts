import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { JsonValue } from '../../contract/json.js';
import { ApiError, messageOf } from '../api/api.js';
import { followEvents } from '../api/event-stream.js';
import type { AskedRequest, ClosedRequest, RequestState } from '../api/shapes.js';
import { useSession } from '../shell/session.js';

export interface OpenedRequest {
  /** As it stands; null: not read yet. */
  state: RequestState | null;
  /** As it was when the form was opened, or when somebody last looked at a change. */
  shown: AskedRequest | null;
  /** What is shown is no longer what was shown: whoever decides has to look again. */
  isChanged: boolean;
  problem: ApiError | Error | null;
  read: () => Promise<void>;
  /** The change has been looked at. */
  accept: () => void;
}

/** An answer that has just been taken may not be in the log yet. */
const recordingPausesMs = [200, 500, 1_000, 2_000];

/** A request as its run has it: read when it is opened, and whenever something about it has changed. */
export function useRequest(id: string): OpenedRequest {
  const { api } = useSession();
  const [state, setState] = useState<RequestState | null>(null);
  const [shown, setShown] = useState<AskedRequest | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const reading = useRef(0);
  const wasOpen = useRef(false);

  const read = useCallback(async (): Promise<void> => {
    const turn = ++reading.current;
    for (let tries = 0; ; tries++) {
      try {
        const found = await api.get<RequestState>(`/requests/${encodeURIComponent(id)}`);
        if (turn !== reading.current) return;
        setState(found);
        setProblem(null);
        if (found.state === 'open') {
          wasOpen.current = true;
          setShown((before) => before ?? found.request);
        }
        return;
      } catch (error) {
        if (turn !== reading.current) return;
        const pause = recordingPausesMs[tries];
        const isUnrecorded = error instanceof ApiError && error.status === 404 && wasOpen.current;
        if (!isUnrecorded || pause === undefined) {
          setProblem(error instanceof Error ? error : new Error(messageOf(error)));
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }, [api, id]);
  useEffect(() => {
    void read();
    // The run itself says when it has moved: the namespace may have seen neither that it asked nor that it was answered.
    const run = id.slice(0, Math.max(0, id.lastIndexOf('/')));
    const stop = followEvents(api.urlOf(`/runs/${encodeURIComponent(run)}/events`), {
      onEvent: ({ event }) => {
        if (event === 'status' || event === 'end') void read();
      },
      onState: () => undefined,
      onSignedOut: api.onSignedOut,
    });
    return () => {
      reading.current++;
      stop();
    };
  }, [read]);
  const isChanged = state?.state === 'open' && shown !== null && state.request.digest !== shown.digest;
  return {
    ...{ state, shown, isChanged, problem, read },
    accept: () => {
      if (state?.state === 'open') setShown(state.request);
    },
  };
}

/** Who decided, and what. */
export interface KnownAnswer {
  value: JsonValue;
  by: string | null;
  comment: string | null;
  timed_out: boolean;
  withdrawn: boolean;
  by_verified: boolean;
}

/** What the log has of the answer; null where the request ended without one. */
export function answerOfClosed({ answer }: ClosedRequest): KnownAnswer | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  const { value = null, by = null, comment = null, timed_out, withdrawn, by_verified } = answer;
  return {
    value,
    by: typeof by === 'string' ? by : null,
    comment: typeof comment === 'string' ? comment : null,
    timed_out: timed_out === true,
    withdrawn: withdrawn === true,
    by_verified: by_verified === true,
  };
}
