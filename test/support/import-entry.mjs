/**
 * Imports one entry of the package as it is packed, in a process of its own, and says as JSON which packages and which rooms of
 * ours that loads: `node import-entry.mjs tactus-temporal/worker`.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const [entry = ''] = process.argv.slice(2);
/** @type {Record<string, string[]>} the modules in each file */
const modules = JSON.parse(readFileSync(new URL('../../lib/.modules.json', import.meta.url), 'utf8'));
const packages = new Set();
const rooms = new Set();

registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    const [, file = ''] = /\/lib\/(.+)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    else
      for (const [, room] of (modules[file] ?? []).map((path) => /^([^/]+)\//.exec(path) ?? []))
        rooms.add(room);
    return next(url, context);
  },
});

const names = Object.keys(await import(entry)).sort();
process.stdout.write(JSON.stringify({ names, packages: [...packages].sort(), rooms: [...rooms].sort() }));
