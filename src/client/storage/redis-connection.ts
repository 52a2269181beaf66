import type { createClient as CreateClient, RedisClientType } from '@redis/client';
import { TactusError } from '../../contract/errors.js';
import { loadPackage } from '../../contract/load-package.js';

const connectMs = 5_000;
/** A server that says nothing for so long, though it is asked for a sign of life, is as good as away. */
const silenceMs = 30_000;
const pingMs = 10_000;

/**
 * A connection to a Redis server, which is made when it is used first, and anew where it broke: whoever asks while the server
 * is away is told so, and asks again.
 */
export class RedisConnection {
  #connected: Promise<RedisClientType> | null = null;

  private constructor(
    private readonly make: () => RedisClientType,
    private readonly greet: (client: RedisClientType) => Promise<void>,
  ) {}

  /**
   * `greet` is done once on each connection, before anything else.
   * @throws TactusError missing_package; usage where the address is none
   */
  static async open(
    address: string,
    greet: (client: RedisClientType) => Promise<void>,
  ): Promise<RedisConnection> {
    const createClient = await load();
    const make = (): RedisClientType =>
      createClient({
        url: address,
        pingInterval: pingMs,
        socket: { connectTimeout: connectMs, socketTimeout: silenceMs, reconnectStrategy: false },
      });
    try {
      make();
    } catch {
      // Without what it says: that may have the password.
      throw new TactusError('usage', 'An address of Redis is redis://user:password@host:port/database');
    }
    return new RedisConnection(make, greet);
  }

  async client(): Promise<RedisClientType> {
    const connecting = (this.#connected ??= this.#connect());
    const forget = (): void => {
      if (this.#connected === connecting) this.#connected = null;
    };
    const client = await connecting.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (client.isReady) return client;
    forget();
    return this.client();
  }

  async close(): Promise<void> {
    const client = await this.#connected?.catch(() => null);
    this.#connected = null;
    if (client?.isOpen === true) await client.close();
  }

  async #connect(): Promise<RedisClientType> {
    const client = this.make();
    // What was asked is told; without a listener a connection that breaks would end the process.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await this.greet(client);
    } catch (error) {
      client.destroy();
      throw error;
    }
    return client;
  }
}

/** @throws TactusError missing_package */
function load(): Promise<typeof CreateClient> {
  return loadPackage(
    async () => (await import('@redis/client')).createClient,
    'Redis needs a package: npm install @redis/client',
  );
}
