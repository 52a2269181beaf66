import { TactusError } from '../../contract/errors.js';
import { canonicalJson, isObject, type JsonValue } from '../../contract/json/json.js';
import { readClient, type HttpClient } from './http-client.js';
import { PerRun } from '../kernel/per-run.js';

/** The clients of all procedures, by name. */
export const dependencies = new PerRun(() => new Map<string, HttpClient>());

/**
 * The clients among a procedure's `dependencies = { api = { type = "http_client", … } }`. Databases are left to tools:
 * what is of another type can be declared, and has no effect.
 * @throws TactusError source_invalid
 */
export function readDependencies(declared: JsonValue, what: string): HttpClient[] {
  if (!isObject(declared)) return [];
  return Object.entries(declared).flatMap(([name, config]) =>
    isObject(config) && config['type'] === 'http_client'
      ? [readClient(config, name, `${what}: dependencies.${name}`, 'source_invalid')]
      : [],
  );
}

/**
 * Adds a procedure's clients to those of the file: `dependencies` is one table for all of them.
 * @throws TactusError source_invalid where two procedures mean different clients by one name
 */
export function addDependencies(all: Map<string, HttpClient>, clients: readonly HttpClient[]): void {
  for (const client of clients) {
    const name = client.name ?? '';
    const known = all.get(name);
    if (known !== undefined && settingsOf(known) !== settingsOf(client))
      throw new TactusError(
        'source_invalid',
        `dependencies.${name} is declared by two procedures with different settings; give them two names`,
      );
    all.set(name, client);
  }
}

function settingsOf({ baseUrl, headers, timeoutMs, retry }: HttpClient): string {
  return canonicalJson({ baseUrl, headers, timeoutMs, retry: { ...retry } });
}
