import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface StreamedEvent {
  event: string;
  id: string | undefined;
  data: unknown;
}

/** `live`: connected; `waiting`: cut off, and about to come again; `ended`: there is nothing more to come. */
export type StreamState = 'live' | 'waiting' | 'ended';

export interface StreamOptions {
  onEvent: (event: StreamedEvent) => void;
  onState: (state: StreamState) => void;
  onSignedOut: () => void;
}

/** Told by whoever has signed in: streams that were refused come again. */
export const signedInEvent = 'tactus:signed-in';

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/**
 * Follows events of the server until it is told to stop. Cut off, it comes again and goes on after the last event that it has
 * seen. While nobody looks at the page it lets go: a browser has few connections for all its tabs.
 * @returns what stops it
 */
export function followEvents(url: string, { onEvent, onState, onSignedOut }: StreamOptions): () => void {
  let lastId: string | undefined;
  let isStopped = false;
  let attempt = new AbortController();
  let wake: () => void = () => undefined;

  const connect = async (): Promise<'again' | 'refused' | 'ended'> => {
    const headers = {
      accept: 'text/event-stream',
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    };
    const response = await fetch(url, { headers, signal: attempt.signal });
    if (response.status === 204) return 'ended';
    if (response.status === 401) {
      onSignedOut();
      return 'refused';
    }
    // What isn't there now won't be there later.
    if (response.status === 404) return 'ended';
    if (!response.ok || response.body === null) return 'again';
    onState('live');
    pauseMs = firstPauseMs;
    const events = response.body
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .pipeThrough(new EventSourceParserStream());
    for await (const { event = 'message', id, data } of events) {
      if (id !== undefined) lastId = id;
      onEvent({ event, id, data: JSON.parse(data) as unknown });
      if (event === 'end') return 'ended';
    }
    return 'again';
  };

  let pauseMs = firstPauseMs;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (document.hidden) await new Promise<void>((resolve) => (wake = resolve));
      if (isStopped) return;
      attempt = new AbortController();
      // However it was cut off, it comes again.
      const end = await connect().catch(() => 'again' as const);
      if (isStopped) return;
      if (end === 'ended') return onState('ended');
      if (document.hidden) continue;
      onState('waiting');
      await new Promise<void>((resolve) => {
        wake = resolve;
        // Asked again and again without a token, the server would soon ask nobody from here for one.
        if (end === 'again') setTimeout(resolve, pauseMs);
      });
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    }
  };

  const onVisibility = (): void => {
    if (document.hidden) attempt.abort();
    else wake();
  };
  const onWake = (): void => wake();
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', onWake);
  window.addEventListener(signedInEvent, onWake);
  void run();
  return () => {
    isStopped = true;
    attempt.abort();
    wake();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', onWake);
    window.removeEventListener(signedInEvent, onWake);
  };
}
