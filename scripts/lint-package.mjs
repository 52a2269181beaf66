/** `npm run lint:package`: packs what is built, and looks at its entries and types as Node and TypeScript will. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { runNpm } from './setup/run-npm.mjs';

await asCommand(async () => {
  const { node } = await nodeStep();
  const built = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs'), '--package']);
  if (built !== 0) return built;
  const folder = await mkdtemp(join(tmpdir(), 'tactus-package-'));
  try {
    const pack = ['pack', '--ignore-scripts', '--offline', '--pack-destination', folder];
    const { code, stderr } = await runNpm(pack, { node, cwd: projectFolder, timeoutMs: 60_000 });
    if (code !== 0) throw new Error(`npm could not pack: ${stderr}`);
    const [name = ''] = await readdir(folder);
    const archive = join(folder, name);
    /** @param {string[]} command a tool in node_modules, and its arguments */
    const run = ([tool = '', ...args]) =>
      runInForeground(node, [join(projectFolder, 'node_modules', tool), ...args]);
    const publint = await run(['publint/src/cli.js', 'run', archive, '--strict']);
    const types = await run([
      '@arethetypeswrong/cli/dist/index.js',
      archive,
      ...['--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-emoji'],
    ]);
    return publint || types;
  } finally {
    await rm(folder, { recursive: true });
  }
});
