/** The same conversation by `@temporalio/ai-sdk`: an agent that reads pages with a tool, one after the other. */
import { temporalProvider } from '@temporalio/ai-sdk/workflow';
import { proxyActivities } from '@temporalio/workflow';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const { readPage } = proxyActivities({ startToCloseTimeout: '1 minute' });

export async function readAll(pages) {
  const { text } = await generateText({
    model: temporalProvider.languageModel('gpt-x'),
    prompt: 'Read all pages',
    tools: {
      read_page: tool({
        description: 'Reads a page',
        inputSchema: z.object({ n: z.number() }),
        execute: ({ n }) => readPage(n),
      }),
    },
    stopWhen: stepCountIs(pages + 1),
  });
  return text;
}
