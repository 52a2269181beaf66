import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { filesBelow, hasWord } from '../../support/searched-files.js';
import { healthUrl, startService, type Service } from '../../support/service-process.js';
import { waitUntil } from '../../support/wait-until.js';

/**
 * One run through HTTP, an agent, a tool and a person, on a worker and `serve` with encryption, logs, traces and metrics: neither a secret nor
 * what was said is in what they leave.
 */

/** Each secret has this word, and all that was said the other one. */
const [secret, content] = ['canary-secret-3017', 'canary-content-8842'];
const procedure = (shop: string): string => `
note = Tool {
  description = "Notes something",
  input = { text = field.string { required = true } },
  function(args)
    state.noted = args.text
    return { noted = args.text }
  end,
}
clerk = Agent { model = "openai/gpt-x", system_prompt = "You note. ${content}", tools = { note } }
Procedure {
  input = { text = field.string { required = true } },
  function(input)
    local said = clerk(input.text).text
    File.write("note.txt", "nothing of it")
    http_client.get("${shop}", { headers = { authorization = { secret = "SHOP_KEY" } } })
    pcall(error, "${content}")
    print("${content}")
    local answer = Human.input("What else?")
    return { said = said, answer = answer }
  end,
}`;

let folder: CliFolder;
let provider: ProviderStandIn;
let receiver: OtlpReceiver;
let services: Service[] = [];
let metrics: [number, number];
const token = `token-${secret}-of-ann-that-is-long-enough`;

beforeAll(async () => {
  provider = await startProviderStandIn();
  receiver = await startOtlpReceiver();
  metrics = [await freePort(), await freePort()];
  folder = cliFolder({
    ...{ OPENAI_API_KEY: `key-${secret}`, OPENAI_BASE_URL: `${provider.url}/v1` },
    ...{ SHOP_KEY: `shop-${secret}`, ANN: token, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    PAYLOAD_KEY: Buffer.from(`${secret}-of-payloads`.slice(0, 32).padEnd(32, '.')).toString('base64'),
  });
  folder.write(
    '.tactus/config.yml',
    `codec: {encryption: {key: may, keys: {may: PAYLOAD_KEY}, compress: false}}
storage: file:records
server: {tokens: [{name: ann, secret: ANN, roles: [read, decide, operate]}]}
`,
  );
  folder.write('note.tac', procedure(`${provider.url}/shop`));
  const worker = await startService(
    folder,
    ['worker', '--health', '0', '--metrics', `127.0.0.1:${metrics[0]}`],
    healthUrl,
  );
  const serve = await startService(
    folder,
    ['serve', '--port', '0', '--metrics', `127.0.0.1:${metrics[1]}`],
    /"?(http:\/\/127\.0\.0\.1:\d+)"?/,
  );
  services = [worker, serve];
}, 60_000);
afterAll(async () => {
  for (const { child } of services) child.kill('SIGTERM');
  await Promise.all(services.map(({ ended }) => ended));
  await folder?.close();
  await receiver?.close();
  await provider?.close();
});

it('are nowhere: in no database, record, file, log, trace and metric', async () => {
  provider.reply(
    { toolCalls: [{ id: 'c', name: 'note', arguments: JSON.stringify({ text: content }) }] },
    { text: `noted ${content}` },
    { text: 'from the shop' },
  );
  const url = `${services[1]?.url}/api/v1/namespaces/default`;
  const ask = async (path: string, body?: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  const started = await ask('/runs', { procedure: 'note', input: { text: content }, run_id: 'noted' });
  expect(started.status, await started.clone().text()).toBe(201);
  const request = await waitUntil(async () => {
    const { pending } = (await (await ask('/runs/noted')).json()) as { pending?: { id: string }[] };
    return pending?.[0]?.id ?? null;
  });
  const decided = await ask(`/requests/${encodeURIComponent(request)}/decide`, {
    ...{ value: content, comment: content },
  });
  expect(decided.status, await decided.clone().text()).toBe(200);
  await waitUntil(
    async () => ((await (await ask('/runs/noted')).json()) as { status: string }).status === 'completed',
  );
  // Those who may read have all of it.
  const result = await folder.runHere(['result', 'noted', '--json']);
  expect(result.json(), result.stderr).toMatchObject({
    output: { said: `noted ${content}`, answer: content },
  });
  expect(provider.requests.some(({ headers }) => headers.authorization === `shop-${secret}`)).toBe(true);
  await waitUntil(() => Promise.resolve(receiver.bodies.join().includes('decision')));
  const measured = await waitUntil(async () => {
    const texts = await Promise.all(
      metrics.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
    return texts.join('\n').includes('tactus_runs_ended') && texts;
  });

  const left = new Map([
    ...filesBelow(join(folder.path, '.tactus-temporal'), join(folder.path, 'records')),
    ...measured.map((text, i): [string, Buffer] => [`metrics ${i}`, Buffer.from(text)]),
    ...services.map(({ lines }, i): [string, Buffer] => [`log ${i}`, Buffer.from(JSON.stringify(lines()))]),
    ['traces', Buffer.from(receiver.bodies.join('\n'))],
  ]);
  const found = (word: string): string[] =>
    [...left].flatMap(([name, bytes]) => (hasWord(bytes, word) ? [name] : []));
  expect([...left.keys()].join('\n')).toMatch(/temporal\.sqlite[^]*records\/noted\.json[^]*log 1\ntraces$/);
  // The run can be found by its id: the search looks where it is to look.
  expect(found('noted').length).toBeGreaterThan(3);
  expect(found(secret)).toEqual([]);
  expect(found(content)).toEqual([]);
}, 120_000);
