import { createInterface } from 'node:readline';
import { startTemporalRoles } from '../../test/support/temporal-roles.js';
import { removeFolders } from './after-all.js';

/** Starts a Temporal server with a process for each service, and kills and starts again the service that each line names, until nobody listens any more. */
const roles = await startTemporalRoles();
const { address, database, parts } = roles;
console.log(JSON.stringify({ address, database, parts: parts.map(({ name }) => name) }));

for await (const name of createInterface(process.stdin)) {
  const part = parts.find((each) => each.name === name);
  if (part === undefined) throw new Error(`no part ${name}`);
  await part.kill();
  await part.start();
  console.log(name);
}
await roles.close();
removeFolders();
process.exit(0);
