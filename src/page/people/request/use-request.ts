import { useCallback, useEffect } from 'preact/hooks';
import type { JsonValue } from '../../../contract/json/json.js';
import { ApiError, type Api } from '../../api/api.js';
import { followEvents } from '../../api/event-stream.js';
import type { AskedRequest, ClosedRequest, RequestState } from '../../api/shapes.js';
import { useSession } from '../../shell/session.js';
import { useOpened } from './use-opened.js';

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
    return await api.get<RequestState>(`/requests/${encodeURIComponent(id)}`);
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
