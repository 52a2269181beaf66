/** Gets and builds all that the tests take; `npm test` does so itself. */
import { asCommand } from './setup/as-command.mjs';
import { builtForTests } from './built-for-tests.mjs';

await asCommand(async () => (await builtForTests()).exitCode);
