/**
 * `npm run typecheck`: all of the project, then the rooms that must do without Node's types, the page, the playground, and the set-up. What hasn't changed since the
 * last time isn't looked at again.
 */
import { join, sep } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { packagesStep } from './setup/packages-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { node } = await nodeStep();
  await packagesStep(node);
  const tsc = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  // What is written against the package sees the declarations that it is packed with.
  let failed = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs'), '--types']);
  for (const project of [
    'tsconfig.json',
    'tsconfig.sandbox.json',
    join('src', 'page', 'tsconfig.json'),
    join('src', 'playground', 'tsconfig.json'),
    join('scripts', 'setup', 'tsconfig.json'),
  ]) {
    const known = join(projectFolder, '.toolchain', 'types', `${project.replaceAll(sep, '-')}.tsbuildinfo`);
    const incremental = ['--incremental', '--tsBuildInfoFile', known];
    failed ||= await runInForeground(node, [
      tsc,
      '--noEmit',
      ...incremental,
      '-p',
      join(projectFolder, project),
    ]);
  }
  return failed;
});
