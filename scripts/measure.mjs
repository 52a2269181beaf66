/** `npm run measure`: how hard the code is to enter, in numbers without a limit. The flows are measured in the last build, the package as it was bundled last. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { node } = await nodeStep();
  let failed = 0;
  for (const what of ['imports', 'package', 'flows'])
    failed ||= await runInForeground(node, [join(projectFolder, 'scripts', 'measure', `${what}.mjs`)]);
  return failed;
});
