import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText, type LanguageModel } from 'ai';
import type { Heard } from './heard.ts';

const modelAt = (baseURL: string): LanguageModel =>
  createOpenAICompatible({ name: 'stand-in', baseURL, apiKey: 'none' })('gpt-x');

/** Each question by itself, by the AI SDK without a workflow. */
export async function askAlone(baseURL: string, questions: readonly string[]): Promise<void> {
  for (const prompt of questions) await generateText({ model: modelAt(baseURL), prompt });
}

/** An answer, read as it comes by whoever asks. */
export async function hearAlone(baseURL: string, question: string): Promise<Heard> {
  const heard: Heard = { characters: 0, lastText: 0, last: 0 };
  for await (const part of streamText({ model: modelAt(baseURL), prompt: question }).stream) {
    heard.last = Date.now();
    if (part.type !== 'text-delta') continue;
    heard.characters += part.text.length;
    heard.lastText = heard.last;
  }
  return heard;
}
