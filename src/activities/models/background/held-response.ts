import { isTimeout } from '../../retries/attempt-signal.js';
import type { AttemptNotes } from '../../retries/attempt-notes.js';
import { isUnwanted } from '../../retries/is-unwanted.js';
import type { ServerAccess } from '../../runs/server-access.js';
import type { HeldResponse } from './background-fetch.js';

interface Holding {
  notes: AttemptNotes;
  beat: () => void;
  /** That of the attempt. */
  signal: AbortSignal;
  server: ServerAccess;
}

/** The response of an attempt, whose id stands in its heartbeats. */
export function heldResponse({ notes, beat, signal, server }: Holding): HeldResponse {
  return {
    get id() {
      return notes.responseId;
    },
    async hold(id) {
      notes.responseId = id;
      beat();
      // Where the server can't be told now, the heartbeats tell it.
      await server.recordDetails(notes.details()).catch(() => undefined);
    },
    isUnwanted: async () => isTimeout(signal) || isUnwanted(server),
  };
}
