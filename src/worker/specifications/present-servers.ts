import type { Client } from '@temporalio/client';
import type { TactusClient } from '../../client/index.js';

/** A server whose time can be held, and a worker on it. */
export interface OneServer {
  client: Client;
  tactus: TactusClient;
  address: string;
  coldCaches: boolean;
  folderOf: (file: string) => string;
  clock: {
    /** No time is skipped until it is released as often. */
    hold(): Promise<void>;
    release(): Promise<void>;
    /** In ms since 1970. */
    now(): Promise<number>;
  };
  stop(): Promise<void>;
}

/** Where something begins. */
export type PresentPlace = Pick<OneServer, 'client' | 'tactus'>;

export interface Begun<T> {
  value: T;
  /** Nothing more is asked of its server. */
  end: () => void;
}

interface Used {
  server: OneServer;
  /** What runs there and hasn't ended. */
  users: number;
  isPast: boolean;
}

/** So far a server may be ahead: retries skip seconds, and a server for each of them would take longer than all else. */
const mostAheadMs = 10_000;

/**
 * Servers that skip time, one of which is always at the present: runs that wait for years take the clock of their server
 * with them, and whatever begins after them would begin in that year.
 */
export class PresentServers {
  readonly #all: Used[] = [];
  readonly #stopping: Promise<void>[] = [];
  #current: Promise<Used>;

  constructor(
    first: OneServer,
    private readonly start: () => Promise<OneServer>,
  ) {
    this.#current = Promise.resolve(this.#add(first));
  }

  async begin<T>(begin: (place: PresentPlace) => Promise<T>): Promise<Begun<T>> {
    for (;;) {
      const current = this.#current;
      const used = await current;
      const { clock } = used.server;
      used.users++;
      await clock.hold();
      try {
        if ((await clock.now()) - Date.now() < mostAheadMs) {
          const value = await begin(used.server);
          return { value, end: () => this.#leave(used) };
        }
        used.isPast = true;
        // Whoever comes first starts the next one.
        if (this.#current === current) this.#current = this.start().then((server) => this.#add(server));
      } catch (error) {
        this.#leave(used);
        throw error;
      } finally {
        await clock.release();
      }
      this.#leave(used);
    }
  }

  async stop(): Promise<void> {
    await this.#current.catch(() => undefined);
    await Promise.all([...this.#all.map(({ server }) => server.stop()), ...this.#stopping]);
  }

  #add(server: OneServer): Used {
    const used = { server, users: 0, isPast: false };
    this.#all.push(used);
    return used;
  }

  #leave(used: Used): void {
    used.users--;
    // The first one is what the environment itself talks to.
    if (!used.isPast || used.users > 0 || this.#all.indexOf(used) < 1) return;
    this.#all.splice(this.#all.indexOf(used), 1);
    this.#stopping.push(used.server.stop());
  }
}
