/**
 * `npm run bench -- agent-turn [turns] [rounds] [tokens]`: what an agent's turn costs in time and history, how fast an answer comes to its readers, and whether they hold
 * up a decision; beside the AI SDK alone and `@temporalio/ai-sdk`, which is installed for it. One server, one provider for all.
 */
import { openAgentsStage } from './agents/stage.ts';
import { measureTurns } from './measures/agent-turns.ts';
import { measureDecisions } from './measures/decisions.ts';
import { measureStreamedAnswers } from './measures/streamed-answers.ts';
import { asMarkdown } from './measures/ways.ts';

const [turns = 21, rounds = 5, tokens = 5_000] = process.argv.slice(2).map(Number);
const stage = await openAgentsStage();
try {
  const rows = [
    ...(await measureTurns(stage, turns, rounds)),
    ...(await measureStreamedAnswers(stage, tokens, rounds)),
    ...(await measureDecisions(stage)),
  ];
  console.log(asMarkdown(rows));
} finally {
  await stage.close();
}
process.exit(0);
