import type { HumanItem, HumanRequest, OptionValue, RequestOrigin } from './human-request.js';
import { quotedWord, shellWord, singleQuoted } from '../text/shell-word.js';
import type { JsonValue } from '../json/json.js';
import type { Delivery } from './channels/channel.js';

type Answerable = Pick<
  HumanRequest,
  'id' | 'kind' | 'options' | 'form' | 'approvers' | 'requester' | 'votes' | 'authority'
>;

/**
 * The command that answers a request, behind `tactus-temporal`: by somebody who may, where it names who.
 * @param reader who reads it, where that is known
 */
export function respondCommand(request: Answerable, reader?: string): string {
  const { id, approvers, requester, votes = [], authority } = request;
  const away = [requester, ...votes.map(({ by }) => by)];
  const able = approvers.find((name) => !away.includes(name)) ?? approvers[0];
  const who = able === undefined ? undefined : (reader ?? able);
  const answer = exampleAnswer(request);
  const flags = [
    ...(who === undefined ? [] : [`--as ${shellWord(who)}`]),
    ...(authority === 'signed' ? ['--key FILE'] : []),
  ];
  const isLikeFlag = id.startsWith('-') || /^["']?-/.test(answer);
  const words = isLikeFlag ? [...flags, '--', shellWord(id), answer] : [shellWord(id), answer, ...flags];
  return ['respond', ...words].join(' ');
}

/** An answer as one types it behind `respond REQUEST`: quoted for a shell. */
export function exampleAnswer(request: Pick<HumanRequest, 'kind' | 'options' | 'form'>): string {
  const { kind, options, form } = request;
  const [option] = options;
  if (kind === 'approval') return 'y';
  if (kind === 'upload') return './FILE';
  if (form?.type === 'items')
    return quoted(Object.fromEntries(form.items.map((item) => [item.id, valueOf(item)])));
  if (form?.type === 'select' && form.multiple) return quoted(options.slice(0, Math.max(1, form.min)));
  if (option === undefined) return form?.type === 'any' ? 'JSON' : '"…"';
  return typeof option === 'string' ? quotedWord(option) : JSON.stringify(option);
}

function valueOf({ kind, options, form }: HumanItem): JsonValue {
  const first: OptionValue = options[0] ?? '…';
  if (kind === 'approval') return true;
  if (kind === 'upload') return { name: 'FILE', path: '…' };
  return form?.type === 'select' && form.multiple ? [first] : first;
}

function quoted(value: JsonValue): string {
  return singleQuoted(JSON.stringify(value));
}

/** Which agent outside wants an answer, and who does what follows from it. */
export function originText({ source, protocol, address, task }: RequestOrigin): string {
  const of = task === null ? '' : `, its task ${task}`;
  return `${source} (${protocol}) at ${address}${of}: decided here, done there`;
}

/** How people have been told of a request, a line for each channel; what isn't as it should be goes before what is. */
export function deliveryTexts(deliveries: readonly Delivery[] = []): string[] {
  const channels = [...new Set(deliveries.map(({ channel }) => channel))];
  return channels.map((channel) => {
    const own = deliveries.filter((each) => each.channel === channel);
    const shown =
      own.findLast(({ status }) => status === 'undelivered') ??
      own.findLast(({ status }) => status === 'sending') ??
      own.findLast(() => true);
    const { status = 'sending', at = '', problem } = shown ?? {};
    const why = problem === undefined ? '' : `: ${problem}`;
    return `${channel}: ${status} since ${at}${why}`;
  });
}
