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

/**
 * Changes a record, all of it or nothing.
 *
 * - KEYS: the procedure (a hash of columns), its log (a hash of entries by position), all ids, and a counter of changes.
 * - ARGV: id; how the keys of the sets of ids by status begin; the number of the change that must have been the last one, or
 *   nothing; how many entries must be there, or nothing, behind `=` where no more may be; whether what is there goes (`anew`); how many columns follow; those,
 *   each with its value; how many of a record that isn't there yet follow; those; then positions, each with its entry.
 *
 * Gives `done`; `lacking` where entries before are missing; `odd` where the log is kept in a column; `overtaken` where another
 * change was the last one.
 */
export const changeScript = `
local procedure, log, id = KEYS[1], KEYS[2], ARGV[1]
local last, from = ARGV[3], ARGV[4]
if last ~= '' and (redis.call('HGET', procedure, 'change') or '0') ~= last then return 'overtaken' end
if from ~= '' then
  if (redis.call('HGET', procedure, 'odd_log') or '') ~= '' then return 'odd' end
  local exact, there = from:sub(1, 1) == '=', redis.call('HLEN', log)
  local needed = tonumber(exact and from:sub(2) or from)
  if needed > there or (exact and needed ~= there) then return 'lacking' end
end
local before = redis.call('HGET', procedure, 'status')
if ARGV[5] == 'anew' then redis.call('DEL', procedure, log) end
local at = 6
for _, command in ipairs({ 'HSET', 'HSETNX' }) do
  local behind = at + 2 * tonumber(ARGV[at])
  for i = at + 1, behind, 2 do redis.call(command, procedure, ARGV[i], ARGV[i + 1]) end
  at = behind + 1
end
for i = at, #ARGV, 2 do redis.call('HSET', log, ARGV[i], ARGV[i + 1]) end
if from ~= '' then
  local entries = redis.call('HLEN', log)
  redis.call('HSET', procedure, 'entries', entries, 'replay_index', entries)
end
redis.call('HSET', procedure, 'change', redis.call('INCR', KEYS[4]))
local status = redis.call('HGET', procedure, 'status')
if before ~= status then
  if before then redis.call('ZREM', ARGV[2] .. before, id) end
  redis.call('ZADD', ARGV[2] .. status, 0, id)
end
redis.call('ZADD', KEYS[3], 0, id)
return 'done'
`;

/** Removes a record. KEYS: the procedure, its log, all ids. ARGV: as above, the first two. */
export const removeScript = `
local status = redis.call('HGET', KEYS[1], 'status')
if status then redis.call('ZREM', ARGV[2] .. status, ARGV[1]) end
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[1], KEYS[2])
`;
