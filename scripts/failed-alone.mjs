/**
 * Runs the files that failed once more, one after the other and with nothing beside them: `node scripts/failed-alone.mjs REPORT ALONE`, reports of vitest as JSON.
 * What fails in a crowd and passes alone took a busy machine for a fault. Many that fail are no such thing, and are left at that.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { failedFiles } from './unsteady.mjs';

const mostFiles = 3;
const [report = '', alone = ''] = process.argv.slice(2);

await asCommand(async () => {
  const files = failedFiles(JSON.parse(readFileSync(report, 'utf8')));
  if (files.length === 0 || files.length > mostFiles) return 1;
  console.log(`Failed, and run once more by themselves:\n${files.join('\n')}`);
  const { node } = await nodeStep();
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${alone}`];
  return runInForeground(node, [vitest, 'run', ...files, '--no-file-parallelism', ...reporters]);
});
