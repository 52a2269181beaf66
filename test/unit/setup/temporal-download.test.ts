import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeFromTar } from '../../../scripts/setup/take-from-tar.mjs';
import { temporalDownload } from '../../../scripts/setup/temporal-download.mjs';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** It would leave a trace where it was run. */
const program = (trace: string): string => `#!/bin/sh\ntouch '${trace}'\n${'# filling\n'.repeat(9_999)}`;

let folder: string;
let place: string;
let trace: string;
let archive: Buffer;
let asked: string[];
let info: (url: string) => unknown;
let server: Server;
let address: string;

beforeEach(async () => {
  folder = temporaryFolder('download');
  [place, trace] = [join(folder, 'temporal'), join(folder, 'trace')];
  asked = [];
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'README'), 'a');
  writeFileSync(join(folder, 'bin', 'temporal'), program(trace), { mode: 0o755 });
  archive = gzipSync(execFileSync('tar', ['-cf', '-', 'README', 'bin/temporal', 'bin'], { cwd: folder }));
  info = (url) => ({ archiveUrl: `${url}/archive.tar.gz`, fileToExtract: 'bin/temporal' });
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/archive.tar.gz') response.end(archive);
    else response.end(JSON.stringify(info(address)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => server.close();
});
afterEach(() => {
  // Whatever came, it wasn't run.
  expect(existsSync(trace)).toBe(false);
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function download(sha256: string): Promise<void> {
  return temporalDownload({
    ...{ artefact: 'cli', version: 'v1.9.1', platform: 'linux-x64', sha256, place, address },
  });
}

it('an executable is fetched, and put where it is wanted, once its hash is right', async () => {
  await download(hashOf(program(trace)));
  expect(readFileSync(place, 'utf8')).toBe(program(trace));
  expect(asked).toEqual(['/cli/v1.9.1?platform=linux&arch=amd64&format=tar.gz', '/archive.tar.gz']);
});

it('another one is refused, and was not run', async () => {
  await expect(download(hashOf('another'))).rejects.toThrow('is not the file that this project knows');
});

it.each<[string, () => void]>([
  ['no archive', () => (archive = Buffer.from('<html>'))],
  ['half of one', () => (archive = archive.subarray(0, archive.length / 2))],
  [
    'an archive of something else',
    () => (info = (url) => ({ ...(info0(url) as object), fileToExtract: 'no' })),
  ],
  ['a folder', () => (info = (url) => ({ ...(info0(url) as object), fileToExtract: 'bin/' }))],
  [
    'an address of another kind',
    () => (info = () => ({ archiveUrl: 'file:///etc/passwd', fileToExtract: 'a' })),
  ],
  ['words', () => (info = () => 'none')],
  ['words without an end', () => (info = () => 'a'.repeat(200_000))],
])('%s is refused', async (_what, change) => {
  change();
  await expect(download(hashOf(program(trace)))).rejects.toThrow();
});

const info0 = (url: string): unknown => ({
  archiveUrl: `${url}/archive.tar.gz`,
  fileToExtract: 'bin/temporal',
});

it.each([1, 7, 511, 512, 513, 4_096, 1_000_000])(
  'a file is taken out of an archive in pieces of %d',
  async (size) => {
    const tar = execFileSync('tar', ['-cf', '-', 'README', 'bin/temporal', 'bin'], { cwd: folder });
    const pieces = (function* () {
      for (let at = 0; at < tar.length; at += size) yield tar.subarray(at, at + size);
    })();
    const taken: Uint8Array[] = [];

    for await (const piece of takeFromTar(pieces as never, 'bin/temporal')) taken.push(piece);
    expect(Buffer.concat(taken).toString()).toBe(program(trace));
  },
  60_000,
);
