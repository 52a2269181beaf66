/**
 * `npm run bench -- inbox [runs]`: what the HTTP API and the page take with 10,000 runs on the server, each with an open request in the index; p50 and p99 of each
 * kind of question, alone and while a page is open. `serve` is a process of its own.
 */
import { loadavg } from 'node:os';
import { measureInbox } from './measures/inbox.ts';
import { openInbox } from './measures/open-inbox.ts';
import { asQuantiles } from './measures/quantiles.ts';
import { openStage } from './stage.ts';

const runs = Number(process.argv[2] ?? 10_000);

const stage = await openStage();
const inbox = await openInbox(stage, runs);
console.log(`${runs} runs begun and in the index after ${(inbox.filledMs / 1_000).toFixed(0)} s\n`);
try {
  console.log('| question | p50 / p99 | load |\n| --- | --- | --- |');
  for await (const { what, times } of measureInbox(inbox, runs))
    console.log(`| ${what} | ${asQuantiles(times)} | ${(loadavg()[0] ?? 0).toFixed(1)} |`);
} finally {
  await inbox.close();
  await stage.close();
}
process.exit(0);
