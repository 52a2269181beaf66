import type { Delivery } from './delivery.js';

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
