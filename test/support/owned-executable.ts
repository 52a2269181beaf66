import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../.toolchain/owned');

/**
 * Returns a program that runs `path`, and ends with the process that started it, however that ends. The SDK leaves its servers behind where
 * a test run is killed, or a test fails to stop them.
 */
export function ownedExecutable(path: string): string {
  const script = join(folder, basename(path));
  const watch = 'while kill -0 "$owner" && kill -0 "$server"; do sleep 2; done; kill "$server"';
  const lines = [
    '#!/bin/sh',
    'owner=$PPID server=$$',
    `(${watch}) </dev/null >/dev/null 2>&1 &`,
    // It keeps its number: who stops the server stops this.
    `exec '${path}' "$@"`,
  ];
  mkdirSync(folder, { recursive: true });
  const draft = `${script}-${process.pid}`;
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o755 });
  renameSync(draft, script);
  return script;
}
