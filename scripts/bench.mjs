/**
 * `npm run bench`: set-up, build, then the comparison with workflows written by hand. `npm run bench -- long-run` for the long run,
 * `rounds` for graphs, durable loops and passes of many rounds, `graph-steps` for super-steps beside LangGraph.js, `snapshots` for snapshots of sessions, `backtest` for a new source on the logs of 1,000 runs, `soak` for a server, workers and `serve` that are killed by turns under load, `tenants` for runs beside a tenant with a long queue, `upgrades` for 1,000 waiting runs that take a new source, `large` for a procedure of 2,000 lines, `mirror` for what mirroring costs, `storages` for what records cost in each storage, `storage-pages` for pages out of 100,000 records, `index` for lists of 10,000 runs, `retrieval` for an index of 100,000 texts, `lua` for Lua alone, `imports` for the entries of
 * the package, `decisions` for what follows an answer of a person, `sizing` for what a run leaves in databases, `inbox` for the HTTP API and the page with 10,000 runs, `scale` for how cost grows, `first-run` for what a new user waits for, `package` for how long commands of the installed package take to start, `models` for predictions beside their libraries alone; beside another integration, `conversation` for the history of a long one, and `agent-turn` for
 * what a turn costs and how answers come to their readers.
 */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { setUp } from './setup/set-up.mjs';

await asCommand(async () => {
  const { node } = await setUp();
  const built = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs')]);
  if (built !== 0) return built;
  const [which = 'main', ...args] = process.argv.slice(2);
  return runInForeground(node, ['--expose-gc', join(projectFolder, 'bench', `${which}.ts`), ...args]);
});
