import { readFileSync } from 'node:fs';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import type { LocalModelFiles } from '../../../../src/activities/activity-deps.js';
import { choiceField, choicePrompts } from '../../../../src/activities/models/providers/choose-locally.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import type { ModelCall, ModelCallResult } from '../../../../src/contract/models/model-call.js';
import { workerActivities } from '../../../../src/worker/worker-activities.js';
import { sampled } from '../../../support/sampled.js';
import { reviews } from './reviews.js';
import { idempotencyKey, makeCall } from '../run-activity.js';

const paths = JSON.parse(
  readFileSync(new URL('../../../../.toolchain/paths.json', import.meta.url), 'utf8'),
) as { localModel?: LocalModelFiles | null };
const localModel = paths.localModel ?? null;
const deps = { env: {}, filesRoot: '/nowhere', procedureFolders: [], localModel };
const activities = workerActivities(deps);

function ask(change: Partial<ModelCall>): Promise<ModelCallResult> {
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const call = makeCall({ model: null, settings: { temperature: 0 }, ...change });
  return environment.run((input: Parameters<typeof activities.modelCall>[0]) => activities.modelCall(input), {
    call,
    idempotencyKey,
  });
}

const oneOf = (name: string, labels: readonly string[]): JsonObject => ({
  type: 'object',
  properties: { [name]: { type: 'string', enum: [...labels] } },
  required: [name],
  additionalProperties: false,
});
const sentiment = oneOf('sentiment', ['positive', 'negative']);

const examples = `Review: Works great, I love it. (5 stars)
Sentiment: positive
Review: It broke at once. Bad service. (1 stars)
Sentiment: negative
Review: Nice, I would buy it again. (4 stars)
Sentiment: positive
Review: Too late and damaged. (2 stars)
Sentiment: negative
`;

/** How many reviews it gets right, in the field of this name. */
async function right(
  question: (text: string, stars: number) => Partial<ModelCall>,
  field = 'sentiment',
): Promise<number> {
  const outputSchema = oneOf(field, ['positive', 'negative']);
  let count = 0;
  for (const [text, stars, expected] of reviews) {
    const answer = await ask({ ...question(text, stars), outputSchema });
    if ((JSON.parse(answer.text) as Record<string, string>)[field] === expected) count++;
  }
  return count;
}

/** What authors write as the prompt of `Classify`. */
const plainPrompts = [
  'Classify the sentiment of this review.',
  'Is this review positive or negative?',
  'Sort this review.',
  'What does the customer feel?',
  'Label the review',
  'Classify the text.',
  'Is this customer review positive or negative?',
  'Decide whether the customer is satisfied.',
  'sentiment',
  'positive or negative',
  'Good or bad?',
  'Was the buyer happy with the product?',
  'Tell me what they thought',
  'Judge the tone of the text.',
  'How did the customer like it?',
  '',
];

describe.skipIf(localModel === null)('the local model chooses', () => {
  it('rightly for 36 of 40 reviews that it has not seen, after examples', { timeout: 120_000 }, async () => {
    const count = await right((text, stars) => ({
      messages: [{ role: 'user', content: `${examples}Review: ${text} (${stars} stars)\nSentiment:` }],
    }));
    console.log(`after examples: ${count} of ${reviews.length}`);
    expect(count).toBeGreaterThanOrEqual(36);
  });

  it('and where it is only told what to do', { timeout: 120_000 }, async () => {
    const count = await right((text) => ({
      system: 'Is this customer review positive or negative?\n\nAnswer with one of: positive, negative',
      messages: [{ role: 'user', content: text }],
    }));
    console.log(`told what to do: ${count} of ${reviews.length}`);
    expect(count).toBeGreaterThanOrEqual(36);
  });

  // As `tactus.text.classify` asks, and in the field that it asks for.
  it.each(sampled(plainPrompts, 8, (prompt) => prompt === ''))(
    'and for whom `Classify` is told no more than %j',
    { timeout: 300_000 },
    async (prompt) => {
      const count = await right(
        (text) => ({
          system: `${prompt}\n\nAnswer with one of: positive, negative`,
          messages: [{ role: 'user', content: text }],
        }),
        'value',
      );
      console.log(`${JSON.stringify(prompt)}: ${count} of ${reviews.length}`);
      expect(count).toBeGreaterThanOrEqual(36);
    },
  );

  it('says how sure it is of each, the same each time', async () => {
    const question = {
      messages: [{ role: 'user', content: `${examples}Review: I hate it. (1 stars)\nSentiment:` }],
      outputSchema: sentiment,
    } satisfies Partial<ModelCall>;
    const first = await ask(question);
    const { positive = 0, negative = 0 } = first.confidences ?? {};
    expect(negative).toBeGreaterThan(positive);
    expect(positive + negative).toBeCloseTo(1, 5);
    // Something else in between leaves nothing behind.
    await ask({ messages: [{ role: 'user', content: 'Name a colour.' }], settings: { maxTokens: 5 } });
    expect(await ask(question)).toEqual({ ...first, usage: expect.anything() as unknown });
  });

  it('among labels of several words, too', async () => {
    const labels = ['needs a refund', 'needs a new part', 'is only asking'];
    const answer = await ask({
      system: 'What does the customer need?',
      messages: [{ role: 'user', content: 'I want my money back, all of it.' }],
      outputSchema: oneOf('need', labels),
    });
    expect(labels).toContain((JSON.parse(answer.text) as { need: string }).need);
    expect(Object.keys(answer.confidences ?? {})).toEqual(labels);
  });

  it('writes where there is more to say than that', async () => {
    const answer = await ask({
      messages: [{ role: 'user', content: 'Ada is 7.' }],
      outputSchema: {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['person', 'thing'] }, grown: { type: 'boolean' } },
        required: ['kind', 'grown'],
      },
      settings: { maxTokens: 40 },
    });
    expect(answer).not.toHaveProperty('confidences');
  });

  it('is told where a conversation is too long for it', async () => {
    await expect(
      ask({ messages: [{ role: 'user', content: 'long '.repeat(6_000) }], outputSchema: sentiment }),
    ).rejects.toThrow(/takes conversations of up to 4096 tokens/);
  });
});

describe('a choice', () => {
  it.each([
    [oneOf('a', ['x', 'y']), { name: 'a', labels: ['x', 'y'] }],
    [oneOf('a', []), null],
    [oneOf('a', ['x', ' ']), null],
    [
      oneOf(
        'a',
        Array.from({ length: 101 }, (_, i) => `l${i}`),
      ),
      null,
    ],
    [{ type: 'object', properties: { a: { type: 'string' } } }, null],
    [{ type: 'object', properties: { a: { enum: ['x', 1] } } }, null],
    [{ type: 'object', properties: { a: { enum: ['x'] }, b: { enum: ['y'] } } }, null],
    [{ type: 'object' }, null],
  ])('%j is %j', (schema, field) => expect(choiceField(schema)).toEqual(field));

  it('goes on from the cue of the message, with its examples', () => {
    expect(choicePrompts([{ type: 'user', text: `${examples}Review: Fine.\nSentiment:` }], 'value')).toEqual([
      {
        prompt: `${examples}Review: Fine.\nSentiment:`,
        neutral: ['', 'N/A', 'nothing'].map((text) => `${examples}Review: ${text}\nSentiment:`),
        share: 1,
      },
    ]);
  });

  it('else from the name of the field, or from several words where that says nothing', () => {
    const history = [
      { type: 'system' as const, text: 'Spam?' },
      { type: 'user' as const, text: 'Buy now' },
      { type: 'model' as const, response: [] },
    ];
    const prompts = (field: string): string[] => choicePrompts(history, field).map(({ prompt }) => prompt);
    expect(prompts('kind')).toEqual(['Spam?\n\nBuy now\n\nkind:']);
    expect(prompts('value')).toEqual(
      ['category:', 'class:', 'Conclusion:', 'the text is'].map((cue) => `Spam?\n\nBuy now\n\n${cue}`),
    );
    const shares = choicePrompts(history, 'value').map(({ share }) => share);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
  });

  it.each([
    ['sentiment', 'positive, negative', ''],
    ['Good or bad?', 'positive, negative', ''],
    ['Is the customer happy with it?', 'positive, negative', 'Is the customer happy with it?'],
    // Without the question such labels say nothing.
    ['Is it spam?', 'yes, no', 'Is it spam?'],
    ['Which grade?', '1, 2, 3', 'Which grade?'],
    ['topic', 'billing, other', 'topic'],
  ])('is asked by the labels alone where %j tells less than they do (%s)', (prompt, labels, kept) => {
    const list = `Answer with one of: ${labels}`;
    const history = [
      { type: 'system' as const, text: `${prompt}\n\n${list}` },
      { type: 'user' as const, text: 'Fine.' },
    ];
    const prompts = choicePrompts(history, 'value');
    expect(prompts[0]?.prompt).toBe(`${kept}\n\n${list}\n\nFine.\n\ncategory:`);
    expect(prompts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 10);
    // Labels that say something are asked for by themselves, too.
    const byLabels = prompts.filter(({ prompt: each }) => each === `\n\n${list}\n\nFine.\n\nIn short:`);
    expect(byLabels.map(({ share }) => share)).toEqual(labels === 'positive, negative' ? [0.25] : []);
    // A field that has a name says what is asked, and is taken as it is.
    expect(choicePrompts(history, 'mood')[0]?.prompt).toBe(`${prompt}\n\n${list}\n\nFine.\n\nmood:`);
  });
});
