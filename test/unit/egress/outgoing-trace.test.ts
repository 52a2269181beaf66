import { expect, it } from 'vitest';
import { shortBounds } from '../../../src/egress/bounded-response.js';
import { egressFetch } from '../../../src/egress/egress-fetch.js';
import { inTrace } from '../../../src/egress/outgoing-trace.js';

const context = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };

async function sentHeaders(ask: (send: typeof fetch) => Promise<unknown>): Promise<Record<string, string>> {
  let sent: RequestInit | undefined;
  const send = egressFetch(
    {
      fetch: (_input, init) => {
        sent = init;
        return Promise.resolve(new Response('{}'));
      },
    },
    shortBounds,
  );
  await ask(send);
  return Object.fromEntries(new Headers(sent?.headers));
}

it('requests of what is in a trace say so, beside headers of their own', async () => {
  const url = 'https://example.org/';
  const asked = (init: RequestInit) => sentHeaders((send) => inTrace(context, () => send(url, init)));
  expect(await asked({ headers: { 'x-own': '1' } })).toEqual({ 'x-own': '1', ...context });
  expect(await asked({})).toEqual(context);
  const own = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00` };
  expect(await asked({ headers: own })).toEqual(own);
  expect(
    await sentHeaders((send) =>
      inTrace(context, () => send(new Request(url, { headers: { 'x-own': '2' } }))),
    ),
  ).toEqual({
    'x-own': '2',
    ...context,
  });
  expect(await sentHeaders((send) => send(url, { headers: { 'x-own': '3' } }))).toEqual({ 'x-own': '3' });
});
