import type { ChatItem } from './llama-api.js';

/** Names of fields that say nothing of what is asked. */
const vague = /^(answer|class|label|output|result|value)$/i;
const plainCue = 'category';

/** What stands in place of the text that is judged, to see what a model says of any text. */
const neutralTexts = ['', 'N/A', 'nothing'];

export interface ChoicePrompt {
  /** Text whose likeliest continuation is the answer. */
  prompt: string;
  /** The same about nothing. */
  neutral: readonly string[];
}

/**
 * A conversation as a text that the answer continues: small models continue better than they obey. A message that ends
 * with a cue of its own, `Sentiment:`, is taken as it stands, with the examples before it; else the name of the
 * field is the cue.
 */
export function choicePrompt(history: readonly ChatItem[], field: string): ChoicePrompt {
  const texts = history.map(textOf).filter((text) => text.trim() !== '');
  const last = texts.pop() ?? '';
  const { examples, lead, text, cue } = partsOf(last, vague.test(field) ? plainCue : field);
  const before = [...texts.map((each) => `${each}\n\n`), examples].join('');
  const about = (given: string): string => `${before}${lead}${given}${cue}`;
  return { prompt: about(text), neutral: neutralTexts.map(about) };
}

interface Parts {
  /** Solved examples, up to the text that is judged. */
  examples: string;
  /** `Review: `, where the text begins with such a word. */
  lead: string;
  text: string;
  /** What asks for the label, up to its colon. */
  cue: string;
}

function partsOf(message: string, field: string): Parts {
  const own = /\n([^\n:]{1,40}):\s*$/.exec(message);
  const body = own === null ? message.trim() : message.slice(0, own.index);
  const cue = own === null ? `\n\n${field}:` : `\n${own[1]}:`;
  const solved = own === null ? -1 : body.lastIndexOf(`\n${own[1]}: `);
  const end = solved < 0 ? 0 : body.indexOf('\n', solved + 1) + 1;
  const [lead = ''] = /^[^\n:]{1,30}: /.exec(body.slice(end)) ?? [];
  return { examples: body.slice(0, end), lead, text: body.slice(end + lead.length), cue };
}

function textOf(item: ChatItem): string {
  if (item.type !== 'model') return item.text;
  return item.response.map((part) => (typeof part === 'string' ? part : '')).join('');
}
