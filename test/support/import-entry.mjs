/**
 * Imports one entry of the built package in a process of its own, and says as JSON which packages and which rooms of
 * ours that loads: `node import-entry.mjs tactus-temporal/worker`.
 */
import { registerHooks } from 'node:module';

const [entry = ''] = process.argv.slice(2);
const packages = new Set();
const rooms = new Set();

registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    const [, room] = /\/dist\/([^/]+)\//.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    else if (room !== undefined) rooms.add(room);
    return next(url, context);
  },
});

const names = Object.keys(await import(entry)).sort();
process.stdout.write(JSON.stringify({ names, packages: [...packages].sort(), rooms: [...rooms].sort() }));
