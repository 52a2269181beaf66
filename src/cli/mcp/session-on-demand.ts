import type { Context } from '../context.js';
import { Session } from '../session.js';

/** A session that is opened when the first call needs it: listing tools needs no server, and one that is down may come up. */
export class SessionOnDemand {
  private opened: Promise<Session> | null = null;

  constructor(private readonly context: Context) {}

  /** @throws TactusError server_unreachable, usage */
  async get(): Promise<Session> {
    const opening = (this.opened ??= Session.open(this.context));
    try {
      return await opening;
    } catch (error) {
      if (this.opened === opening) this.opened = null;
      throw error;
    }
  }

  /** With a worker in this process, where the embedded server is used: for runs that somebody waits for here. */
  async working(): Promise<Session> {
    const session = await this.get();
    await session.provideWorker({ performs: true });
    return session;
  }

  async close(): Promise<void> {
    const session = await this.opened?.catch(() => null);
    await session?.close();
  }
}
