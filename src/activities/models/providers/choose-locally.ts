import { Fault } from '../../retries/fault.js';
import type { ChoiceField } from './choice-field.js';
import { choicePrompts } from './choice-prompt.js';
import type { ChatItem, LlamaToken } from './llama-api.js';
import { contextSize, type LoadedLlama } from './load-llama.js';

/** The whole distribution, as the model has it. */
const asItIs = { temperature: 1, topK: 0, topP: 1, minP: 0 } as const;
const leastProbability = 1e-12;

/** What models say of nothing, by prompt and labels: it is asked for again and again. */
const knownPriors = new WeakMap<LoadedLlama, Map<string, readonly number[]>>();
const mostPriors = 200;

export interface Choice {
  /** JSON of the chosen label in its field. */
  text: string;
  /** How sure the model is of each label, from 0 to 1. */
  confidences: Readonly<Record<string, number>>;
}

/**
 * Chooses without writing: how likely each label is as the continuation of the conversation, less how likely it is
 * whatever the text, in the mean of the ways in which that is asked. A small model is right far more often like this than
 * where it writes JSON, and ten times as fast.
 */
export async function chooseLocally(
  loaded: LoadedLlama,
  { history, signal }: { history: readonly ChatItem[]; signal: AbortSignal },
  { name, labels }: ChoiceField,
): Promise<Choice> {
  const scores = labels.map(() => 0);
  const prompts = choicePrompts(history, name);
  const priors = [];
  for (const { neutral } of prompts) priors.push(await priorOf(loaded, neutral, labels, signal));
  for (const [n, { prompt, share }] of prompts.entries())
    for (const [i, score] of (await scoresOf(loaded, prompt, labels, signal)).entries())
      scores[i] = (scores[i] ?? 0) + share * (score - (priors[n]?.[i] ?? 0));
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const sum = weights.reduce((total, weight) => total + weight);
  const chosen = labels[scores.indexOf(highest)] ?? '';
  return {
    text: JSON.stringify({ [name]: chosen }),
    confidences: Object.fromEntries(labels.map((label, i) => [label, round((weights[i] ?? 0) / sum)])),
  };
}

async function priorOf(
  loaded: LoadedLlama,
  neutral: readonly string[],
  labels: readonly string[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const known = knownPriors.get(loaded) ?? new Map<string, readonly number[]>();
  knownPriors.set(loaded, known);
  const key = JSON.stringify([neutral, labels]);
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const sums = labels.map(() => 0);
  for (const prompt of neutral) {
    const scores = await scoresOf(loaded, prompt, labels, signal);
    for (const [i, score] of scores.entries()) sums[i] = (sums[i] ?? 0) + score / neutral.length;
  }
  const [oldest] = known.keys();
  if (known.size >= mostPriors && oldest !== undefined) known.delete(oldest);
  known.set(key, sums);
  return sums;
}

/** Logarithms of how likely each label is after the text. */
async function scoresOf(
  { model, sequence }: LoadedLlama,
  prompt: string,
  labels: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const tokens = model.tokenize(prompt);
  const answers = labels.map((label) => model.tokenize(`${prompt} ${label}`).slice(tokens.length));
  const longest = Math.max(...answers.map(({ length }) => length));
  if (tokens.length + longest > contextSize)
    throw new Fault(`takes conversations of up to ${contextSize} tokens; this one has ${tokens.length}`, {
      retryable: false,
    });
  // What stands there already of the same text is not read again. The last token is: what follows it is wanted.
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  const [first] = await likelyAfter(sequence, tokens.slice(sequence.nextTokenIndex), 'last');
  const scores: number[] = [];
  for (const answer of answers) {
    signal.throwIfAborted();
    const later = await likelyAfter(sequence, answer.slice(0, -1), 'each');
    if (answer.length > 1)
      await sequence.eraseContextTokenRanges([{ start: tokens.length, end: sequence.nextTokenIndex }]);
    const likely = answer.map((token, i) => (i === 0 ? first : later[i - 1])?.get(token) ?? 0);
    scores.push(likely.reduce((sum, each) => sum + Math.log(Math.max(each, leastProbability)), 0));
  }
  return scores;
}

/** What may follow each of these tokens, or the last of them alone, as they are added to the text. */
async function likelyAfter(
  sequence: LoadedLlama['sequence'],
  tokens: readonly LlamaToken[],
  which: 'each' | 'last',
): Promise<ReadonlyMap<LlamaToken, number>[]> {
  if (tokens.length === 0) return [];
  const wanted = { generateNext: { probabilities: true, options: asItIs } } as const;
  const isWanted = (i: number): boolean => which === 'each' || i === tokens.length - 1;
  const evaluated = await sequence.controlledEvaluate(
    tokens.map((token, i) => (isWanted(i) ? ([token, wanted] as const) : token)),
  );
  return evaluated.flatMap((each) => each?.next.probabilities ?? []);
}

function round(probability: number): number {
  return Math.round(probability * 1e6) / 1e6;
}
