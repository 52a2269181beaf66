import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { JsonValue } from '../../../contract/json/json.js';
import { ApiError, messageOf, type Api } from '../../api/api.js';
import { followEvents } from '../../api/event-stream.js';
import type { AskedRequest, ClosedRequest, LinkedState, RequestState } from '../../api/shapes.js';
import { useSession } from '../../shell/session.js';

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

const isGone = (found: RequestState | Error): boolean => found instanceof ApiError;

/** A request as its run has it: read when it is opened, and whenever something about it has changed. */
export function useRequest(id: string): OpenedRequest {
  const { api } = useSession();
  const look = useCallback(() => readState(api, id), [api, id]);
  const { state, shown, show, problem, read } = useOpened<RequestState>(look, isGone);
  useEffect(() => {
    // The run itself says when it has moved: the namespace may have seen neither that it asked nor that it was answered.
    const run = id.slice(0, Math.max(0, id.lastIndexOf('/')));
    const stop = followEvents(api.urlOf(`/runs/${encodeURIComponent(run)}/events`), {
      onEvent: ({ event }) => {
        if (event === 'status' || event === 'end') void read();
      },
      onState: () => undefined,
      onSignedOut: api.onSignedOut,
    });
    return stop;
  }, [read]);
  const isChanged = state?.state === 'open' && shown !== null && state.request.digest !== shown.digest;
  return {
    ...{ state, shown, isChanged, problem, read },
    accept: () => {
      if (state?.state === 'open') show(state.request);
    },
  };
}

/** The request, or that there is none: its answer may not be in the log yet. @throws ApiError for whatever else */
async function readState(api: Api, id: string): Promise<RequestState | ApiError> {
  try {
    return await api.get('/requests/{request}', { request: id });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return error;
    throw error;
  }
}

/** Who decided, and what. */
export interface KnownAnswer {
  value: JsonValue;
  by: string | null;
  comment: string | null;
  timed_out: boolean;
  withdrawn: boolean;
  by_verified: boolean;
  early: boolean;
}

/** What the log has of the answer; null where the request ended without one. */
export function answerOfClosed({ answer }: ClosedRequest): KnownAnswer | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  const { value = null, by = null, comment = null, timed_out, withdrawn, by_verified, early } = answer;
  return {
    value,
    by: typeof by === 'string' ? by : null,
    comment: typeof comment === 'string' ? comment : null,
    timed_out: timed_out === true,
    withdrawn: withdrawn === true,
    by_verified: by_verified === true,
    early: early === true,
  };
}

/** A request that was opened, by whatever way. */
interface Opened<State> {
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

/** An answer that has just been taken may not be in the log yet: after these pauses it is looked for again, in ms. */
const pausesMs = [200, 500, 1_000, 2_000];

/** Looks until what is found is recorded, or for some seconds; what was found last. */
async function whenRecorded<T>(look: () => Promise<T>, isUnrecorded: (found: T) => boolean): Promise<T> {
  let found = await look();
  for (const pause of pausesMs) {
    if (!isUnrecorded(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, pause));
    found = await look();
  }
  return found;
}
