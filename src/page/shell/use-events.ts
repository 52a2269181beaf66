import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../api/api.js';
import { followEvents, type StreamState, type StreamedEvent } from '../api/event-stream.js';

type Listener = (event: StreamedEvent) => void;

/** What changes in the namespace, for all of the page from one stream. */
export interface NamespaceEvents {
  state: StreamState;
  listen: (listener: Listener) => () => void;
}

export const EventsContext = createContext<NamespaceEvents | null>(null);

/** Follows the namespace; once, at the top. */
export function useNamespaceStream(api: Api): NamespaceEvents {
  const [state, setState] = useState<StreamState>('waiting');
  const listeners = useRef(new Set<Listener>());
  useEffect(
    () =>
      followEvents(api.urlOf('/events'), {
        onEvent: (event) => {
          for (const listener of listeners.current) listener(event);
        },
        onState: setState,
        onSignedOut: api.onSignedOut,
      }),
    [api],
  );
  const listen = useRef((listener: Listener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  });
  return { state, listen: listen.current };
}

/** Calls `listener`, always its newest form, for whatever changes in the namespace. */
export function useEvents(listener: Listener): void {
  const events = useContext(EventsContext);
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => events?.listen((event) => newest.current(event)), [events?.listen]);
}
