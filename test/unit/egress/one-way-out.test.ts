import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../../src');

/** Where requests are sent from: the one way out, and pages, which are programs of browsers. */
const mayAsk = ['egress/**', 'page/**', 'playground/service-worker.ts'];

/** Each with why what it reads needs no bound. */
const known: Record<string, string> = {
  'worker/server/embedded-server/server-process.ts':
    'passes on what the Web UI of this machine answers, and keeps nothing',
  'worker/server/embedded-server/free-port.ts': 'looks whether a port is free',
  'cli/people/control-socket-command.ts': 'speaks by a socket of this machine, in bounded lines',
};

const globals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const packages = ['undici', 'axios', 'got', 'node-fetch', 'ky', 'superagent', 'ws', 'eventsource', 'needle'];
const modules = ['http', 'https', 'http2', 'net', 'tls', 'dgram'];
const senders = [
  'request',
  'get',
  'Agent',
  'ClientRequest',
  'connect',
  'createConnection',
  'Socket',
  'TLSSocket',
];

const rules: Linter.RulesRecord = {
  'no-restricted-globals': ['error', ...globals],
  'no-restricted-properties': [
    'error',
    ...globals.flatMap((property) =>
      ['globalThis', 'global', 'self'].map((object) => ({ object, property })),
    ),
  ],
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      paths: [
        ...packages.map((name) => ({ name })),
        ...modules.flatMap((name) =>
          [name, `node:${name}`].map((each) => ({
            name: each,
            importNames: [...senders, 'default'],
            allowTypeImports: true,
          })),
        ),
      ],
      patterns: [{ regex: '^undici/' }],
    },
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector: `ImportExpression[source.value=/^(node:)?(${[...modules, ...packages].join('|')})$/]`,
      message: 'loads what sends requests',
    },
    {
      selector: `ImportDeclaration[source.value=/^(node:)?(${modules.join('|')})$/] > ImportNamespaceSpecifier`,
      message: 'imports all of a module that sends requests',
    },
  ],
};

const linter = new Linter();
const mentions = new RegExp(
  `\\b(${globals.join('|')})\\b|['"](node:)?(${[...modules, ...packages].join('|')})['"/]`,
);

/** What a file uses to ask anybody for anything. */
function asksBy(text: string): string[] {
  const config: Linter.Config = {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: { parser: tseslint.parser, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'off', noInlineConfig: true },
    rules,
  };
  return linter
    .verify(text, [config], { filename: 'a.ts' })
    .filter(({ ruleId }) => ruleId !== null)
    .map(({ line, message }) => `${line}: ${message}`);
}

describe('requests leave by one way', () => {
  it.each([
    'const a = await fetch("http://b");',
    'export const f = (deps: { fetch?: typeof fetch }) => deps.fetch ?? fetch;',
    'export function f({ fetch: send = fetch }) { return send; }',
    'globalThis.fetch("http://b");',
    'new WebSocket("ws://b");',
    'new EventSource("http://b");',
    "import { request } from 'node:http'; request('http://b');",
    "import { get as ask } from 'https'; ask('http://b');",
    "import http from 'node:http'; http.get('http://b');",
    "import * as http from 'node:https'; http.get('http://b');",
    "const http = await import('node:http');",
    "import { connect } from 'node:tls'; connect(1);",
    "import { fetch as ask } from 'undici'; await ask('http://b');",
    "const { request } = await import('undici');",
    "import axios from 'axios';",
  ])('%s is seen', (text) => {
    expect(asksBy(text)).not.toEqual([]);
  });

  it.each([
    'export const f = (fetch: typeof globalThis.fetch) => fetch("http://b");',
    'export const f = ({ fetch }: { fetch: (a: string) => void }) => fetch("http://b");',
    'declare const api: { fetch: () => void }; api.fetch();',
    "import type { Server } from 'node:http'; export let a: Server;",
    "import { createServer } from 'node:http'; createServer();",
    'export const f = (deps: { fetch?: typeof fetch }): unknown => deps.fetch;',
  ])('%s is let alone', (text) => {
    expect(asksBy(text)).toEqual([]);
  });

  it('in every file', () => {
    const found: Record<string, string[]> = {};
    const files = globSync('**/*.{ts,tsx}', {
      cwd: source,
      exclude: [...mayAsk, '**/*.d.ts', '**/*.generated.ts'],
    });
    expect(files.length).toBeGreaterThan(400);
    for (const file of files) {
      const text = readFileSync(join(source, file), 'utf8');
      // Parsing all of them would take a minute.
      if (!mentions.test(text)) continue;
      const asks = asksBy(text);
      if (asks.length > 0 && known[file] === undefined) found[file] = asks;
    }
    expect(found).toEqual({});
  }, 120_000);
});
