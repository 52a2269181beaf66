/** `npm run setup`: gets all that the project needs, and says what it does. */
import { asCommand } from './setup/as-command.mjs';
import { setUp } from './setup/set-up.mjs';

await asCommand(async () => {
  const { temporal } = await setUp();
  return temporal === null ? 1 : 0;
});
