/**
 * `node scripts/screenshot.mjs ADDRESS FILE`: a picture of a page of Temporal's Web UI, taken with headless Chromium
 * (`chromium` on PATH, or CHROMIUM names it). For the README; no test needs it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [address, file] = process.argv.slice(2);
if (address === undefined || file === undefined) {
  console.error('usage: node scripts/screenshot.mjs ADDRESS FILE');
  process.exit(2);
}
const profile = mkdtempSync(join(tmpdir(), 'screenshot-'));
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--hide-scrollbars',
];
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const { status, error } = spawnSync(
  process.env.CHROMIUM ?? 'chromium',
  [
    ...flags,
    ...quiet,
    `--user-data-dir=${profile}`,
    '--window-size=1500,1100',
    '--virtual-time-budget=15000',
    `--screenshot=${resolve(file)}`,
    address,
  ],
  { stdio: 'inherit', timeout: 60_000 },
);
rmSync(profile, { recursive: true, force: true });
if (error) console.error(error.message);
process.exit(status ?? 1);
