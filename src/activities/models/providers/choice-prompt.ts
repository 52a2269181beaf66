import type { ChatItem } from './llama-api.js';

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

/** What stands in place of the text that is judged, to see what a model says of any text: after a plain cue, and others. */
const plainNeutralTexts = ['', 'N/A'];
const neutralTexts = ['', 'N/A', 'nothing'];

export interface ChoicePrompt {
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
 * field is the cue. Where that says nothing either, it is asked in several ways, one after the other.
 */
export function choicePrompts(history: readonly ChatItem[], field: string): ChoicePrompt[] {
  const texts = history.map(textOf).filter((text) => text.trim() !== '');
  const last = texts.pop() ?? '';
  const { examples, lead, text, own } = partsOf(last);
  const before = [...texts.map((each) => `${each}\n\n`), examples].join('');
  const about = (given: string, cue: string): string => `${before}${lead}${given}${cue}`;
  const isAskedPlainly = own === null && vague.test(field);
  const cues = isAskedPlainly ? plainCues : [{ text: own ?? `\n\n${field}:`, weight: 1 }];
  const whole = cues.reduce((sum, { weight }) => sum + weight, 0);
  return cues.map((cue) => ({
    prompt: about(text, cue.text),
    neutral: (isAskedPlainly ? plainNeutralTexts : neutralTexts).map((given) => about(given, cue.text)),
    share: cue.weight / whole,
  }));
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

function textOf(item: ChatItem): string {
  if (item.type !== 'model') return item.text;
  return item.response.map((part) => (typeof part === 'string' ? part : '')).join('');
}
