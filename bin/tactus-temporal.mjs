#!/usr/bin/env node
/**
 * The command line. With a Node that is too old it runs itself again with the one of the set-up, which it gets
 * first if need be; in a fresh clone it builds what is missing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asCommand } from '../scripts/setup/as-command.mjs';
import { leastNode } from '../scripts/setup/least-node.mjs';
import { nodeStep } from '../scripts/setup/node-step.mjs';
import { packagesStep } from '../scripts/setup/packages-step.mjs';
import { readPaths } from '../scripts/setup/paths.mjs';
import { isClone, projectFolder } from '../scripts/setup/project-folder.mjs';
import { step } from '../scripts/setup/report.mjs';
import { runInForeground } from '../scripts/setup/run-in-foreground.mjs';
import { isAtLeast, parseVersion } from '../scripts/setup/version.mjs';

/** In a clone what was compiled last; in the package its bundle. */
const main = new URL(`../${isClone ? 'dist' : 'lib'}/cli/main.js`, import.meta.url);
const launched = 'TACTUS_TEMPORAL_LAUNCHED';
/** How the launcher was started: commands that are printed begin like that. */
const startedAs = 'TACTUS_TEMPORAL_STARTED_AS';

if (!isAtLeast(parseVersion(process.versions.node) ?? [0, 0, 0], leastNode)) {
  await asCommand(runWithNewerNode);
} else {
  dieWithLauncher();
  if (!existsSync(main) && isClone) await asCommand(build);
  // A build that failed has said so.
  if (existsSync(main) || !isClone) await import(main.href);
}

async function runWithNewerNode() {
  const known = readPaths().node;
  const node = known && existsSync(known) ? known : (await step('node', nodeStep, { quiet: true })).node;
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  return runInForeground(node, args, {
    env: { ...process.env, [launched]: '1', [startedAs]: process.argv[1] },
    ipc: true,
  });
}

/** A killed launcher can't pass its end on: the channel to it closes, and a kill is what we pass on to ourselves. */
function dieWithLauncher() {
  const isLaunched = process.env[launched] !== undefined;
  delete process.env[launched];
  if (!isLaunched || !process.channel) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}

async function build() {
  await step('packages', () => packagesStep(process.execPath));
  const script = join(projectFolder, 'scripts', 'build.mjs');
  return runInForeground(process.execPath, [script]);
}
