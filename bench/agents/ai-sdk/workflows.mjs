/** The same as in `procedures.ts` by `@temporalio/ai-sdk`. */
import { TemporalProvider, temporalProvider } from '@temporalio/ai-sdk/workflow';
import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import { WorkflowStream } from '@temporalio/workflow-streams/workflow';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const { readPage } = proxyActivities({ startToCloseTimeout: '1 minute' });
const streaming = new TemporalProvider({ languageModel: { streamingTopic: 'said' } });

/** Each question by itself. */
export async function ask(questions) {
  for (const prompt of questions)
    await generateText({ model: temporalProvider.languageModel('gpt-x'), prompt });
}

/** The questions of one conversation, with a tool that reads pages. */
export async function converse(questions) {
  const messages = [];
  for (const content of questions) {
    messages.push({ role: 'user', content });
    const { response } = await generateText({
      model: temporalProvider.languageModel('gpt-x'),
      messages,
      tools: {
        read_page: tool({
          description: 'Reads a page',
          inputSchema: z.object({ n: z.number(), words: z.number() }),
          execute: readPage,
        }),
      },
      stopWhen: stepCountIs(1_000),
    });
    messages.push(...response.messages);
  }
}

/**
 * An answer to those who look on. They are there when it says `go`; an approval is given meanwhile as often as there like to be;
 * and it is open until they have all of it, since a workflow that has ended gives nobody the rest.
 */
export async function write(question) {
  const [signals, decisions] = [new Set(), new Set()];
  setHandler(defineSignal('say'), (name) => void signals.add(name));
  setHandler(defineSignal('decide'), (id) => void decisions.add(id));
  setHandler(defineQuery('decided'), (id) => decisions.has(id));
  new WorkflowStream().topic('said').publish({ type: 'ready' });
  await condition(() => signals.has('go'));
  await streamText({ model: streaming.languageModel('gpt-x'), prompt: question }).text;
  await condition(() => signals.has('done'));
}
