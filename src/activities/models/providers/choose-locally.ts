import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { Fault } from '../../retries/failures.js';
import { contextSize, type ChatItem, type LlamaToken, type LoadedLlama } from './llama.js';

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

/** What is to be chosen: the one member of an answer, and its values. */
interface ChoiceField {
  name: string;
  labels: readonly string[];
}

/** Each label costs an evaluation. */
const mostLabels = 100;

/** The member of an answer that is nothing but a choice among texts; null for all other schemas. */
export function choiceField({ properties = null }: JsonObject): ChoiceField | null {
  const members = isObject(properties) ? Object.entries(properties) : [];
  const [[name, member] = ['', null], ...others] = members;
  const labels = isObject(member) && Array.isArray(member['enum']) ? member['enum'] : [];
  const isChoice = others.length === 0 && labels.length > 0 && labels.length <= mostLabels;
  return isChoice && labels.every(isLabel) ? { name, labels } : null;
}

function isLabel(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Names of fields that say nothing of what is asked. */
const vague = /^(answer|class|label|output|result|value)$/i;

interface Cue {
  /** What asks for the label, up to its colon. */
  text: string;
  /** How much it counts beside others. */
  weight: number;
}

/**
 * What asks for the answer where nobody has said how it is called. One word sways a small model: several together are
 * right for more texts. They cost little, because what stands before them is read once.
 */
const plainCues: readonly Cue[] = [
  { text: '\n\ncategory:', weight: 2 },
  { text: '\n\nclass:', weight: 3 },
  { text: '\n\nConclusion:', weight: 2 },
  { text: '\n\nthe text is', weight: 1 },
];

/** After the labels alone, without what the author wrote. */
const labelCues: readonly Cue[] = [
  { text: '\n\nConclusion:', weight: 1 },
  { text: '\n\ntype:', weight: 1 },
  { text: '\n\nIn short:', weight: 1 },
];

/** How much the answer by the labels alone counts where there is one by the author's words as well. */
const labelShare = 0.75;

/** What stands in place of the text that is judged, to see what a model says of any text: after a plain cue, the labels alone, and others. */
const plainNeutralTexts = ['', 'N/A'];
const labelNeutralTexts = ['', 'N/A', 'nothing', 'Text'];
const neutralTexts = ['', 'N/A', 'nothing'];

interface ChoicePrompt {
  /** Text whose likeliest continuation is the answer. */
  prompt: string;
  /** The same about nothing. */
  neutral: readonly string[];
  /** Its share of the answer: those of all prompts are 1 together. */
  share: number;
}

/**
 * A conversation as a text that the answer continues: small models continue better than they obey. A message that ends
 * with a cue of its own, `Sentiment:`, is taken as it stands, with the examples before it; else the name of the
 * field is the cue. Where that says nothing either, it is asked in several ways, one after the other: by what the author wrote, and by
 * the labels alone, where these say something themselves.
 */
export function choicePrompts(history: readonly ChatItem[], field: string): ChoicePrompt[] {
  const said = history.map(chatItemText).filter((text) => text.trim() !== '');
  const { examples, lead, text, own } = partsOf(said.pop() ?? '');
  const asked = (
    texts: readonly string[],
    { cues, neutral, share }: { cues: readonly Cue[]; neutral: readonly string[]; share: number },
  ): ChoicePrompt[] => {
    const before = [...texts.map((each) => `${each}\n\n`), examples].join('');
    const about = (given: string, cue: string): string => `${before}${lead}${given}${cue}`;
    const whole = cues.reduce((sum, { weight }) => sum + weight, 0);
    return cues.map((cue) => ({
      prompt: about(text, cue.text),
      neutral: neutral.map((given) => about(given, cue.text)),
      share: (share * cue.weight) / whole,
    }));
  };
  if (own !== null || !vague.test(field))
    return asked(said, {
      cues: [{ text: own ?? `\n\n${field}:`, weight: 1 }],
      neutral: neutralTexts,
      share: 1,
    });
  const plain = { cues: plainCues, neutral: plainNeutralTexts };
  const alone = said.map(labelsAlone);
  if (alone.every((each) => each === null)) return asked(said, { ...plain, share: 1 });
  const labels = said.map((each, i) => alone[i] ?? each);
  const short = said.map((each, i) => (isShort(each) ? (alone[i] ?? each) : each));
  return [
    ...asked(short, { ...plain, share: 1 - labelShare }),
    ...asked(labels, { cues: labelCues, neutral: labelNeutralTexts, share: labelShare }),
  ];
}

/** What `Classify` sends before the text: what its author wrote, and the labels. */
const listed = /^([^\n]*)(\n\nAnswer with one of: ([^\n]+))$/;
const mostShortWords = 4;
/** Labels that say nothing without the question that they answer. */
const bareLabel = /^(yes|no|true|false|maybe|none|other|unknown|[\w+-]|\d+)$/i;

/** The labels that `Classify` lists, without the prompt; null where there are none, or where they say nothing by themselves. */
function labelsAlone(text: string): string | null {
  const [, , list = '', labels = ''] = listed.exec(text) ?? [];
  return list !== '' && labels.split(', ').every((label) => !bareLabel.test(label)) ? list : null;
}

/** A word or two, `sentiment`, lead a small model astray: it continues them, and not the text. */
function isShort(text: string): boolean {
  const [, prompt = ''] = listed.exec(text) ?? [];
  return prompt.trim().split(/\s+/).length <= mostShortWords;
}

interface Parts {
  /** Solved examples, up to the text that is judged. */
  examples: string;
  /** `Review: `, where the text begins with such a word. */
  lead: string;
  text: string;
  /** The cue of the message; null: it has none. */
  own: string | null;
}

function partsOf(message: string): Parts {
  const found = /\n([^\n:]{1,40}):\s*$/.exec(message);
  const body = found === null ? message.trim() : message.slice(0, found.index);
  const solved = found === null ? -1 : body.lastIndexOf(`\n${found[1]}: `);
  const end = solved < 0 ? 0 : body.indexOf('\n', solved + 1) + 1;
  const [lead = ''] = /^[^\n:]{1,30}: /.exec(body.slice(end)) ?? [];
  const own = found === null ? null : `\n${found[1]}:`;
  return { examples: body.slice(0, end), lead, text: body.slice(end + lead.length), own };
}

function chatItemText(item: ChatItem): string {
  if (item.type !== 'model') return item.text;
  return item.response.map((part) => (typeof part === 'string' ? part : '')).join('');
}
