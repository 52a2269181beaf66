import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { openTraces, type Traces } from '../../../src/traces/index.js';
import { createTactusWorker } from '../../../src/worker/create-tactus-worker.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../../support/otlp-receiver.js';
import { hasCollector, startCollector, type TestCollector } from '../../support/collector.js';
import { cliFolder } from '../../support/cli-folder.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { waitUntil } from '../../support/wait-until.js';

/** What nobody may find in a trace. */
const secret = 'canary-secret-5521';
const content = 'canary-content-8034';

const main = `
note = Tool {
  description = "Notes something",
  input = { text = field.string { required = true } },
  function(args)
    step("writes ${content}", function() Sleep(0.01) end)
    return { noted = args.text }
  end,
}
clerk = Agent { model = "openai/gpt-5-mini", system_prompt = "You note. ${content}", tools = { note } }
Procedure {
  input = { text = field.string { required = true } },
  function(input)
    local answer = clerk(input.text).text
    Parallel.map({ 1, 2 }, function(n) Sleep(0.01) end)
    for i = 1, 8 do Sleep(0.01) end
    return { answer = answer, child = Procedure.run("child.tac", { text = input.text }) }
  end,
}`;
const child = `
Procedure {
  input = { text = field.string { required = true } },
  function(input)
    local ok = Human.approve("May I? " .. input.text)
    pcall(function() step("fails", function() error("${content}") end) end)
    return { ok = ok }
  end,
}`;

/** Names of what stands below a span, each with what stands below it further to the right. */
function treeOf(spans: readonly ReceivedSpan[], parent: string): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .flatMap(({ name, spanId }) => [name, ...treeOf(spans, spanId).map((line) => `  ${line}`)]);
}

/** Straight to the receiver, or through the collector of docker-compose.yml. */
describe.each(['a receiver of OTLP', ...(hasCollector ? ['a receiver behind a collector'] : [])])(
  '%s, where traces go',
  (way) => {
    const isDirect = way === 'a receiver of OTLP';
    const around = serverWithProvider();
    let receiver: OtlpReceiver;
    let collector: TestCollector | null = null;
    let traces: Traces;
    let api: ApiServer;
    let folder: string;
    let end: () => Promise<void>;

    beforeAll(async () => {
      receiver = await startOtlpReceiver();
      if (!isDirect) collector = await startCollector(receiver.url);
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector?.url ?? receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20mine',
        OTEL_SERVICE_NAME: 'shop',
      };
      traces = openTraces(env, () => undefined) as Traces;
      folder = mkdtempSync(join(tmpdir(), 'traces-'));
      writeFileSync(join(folder, 'main.tac'), main);
      writeFileSync(join(folder, 'child.tac'), child);
      const worker = await createTactusWorker({
        connection: around.server.env.nativeConnection,
        activities: {
          env: { ...around.env, OPENAI_API_KEY: secret },
          filesRoot: folder,
          procedureFolders: [],
        },
        traces,
      });
      const running = worker.run();
      api = await startApi(
        new TactusClient(around.server.env.client, { limits: { historyEvents: 30 } }),
        folder,
        { traces },
      );
      end = async () => {
        worker.shutdown();
        await running;
        await api.close();
      };
    });
    afterAll(async () => {
      await end();
      await traces.close();
      await collector?.stop();
      await receiver.close();
      rmSync(folder, { recursive: true });
    });

    it('gets one tree, from HTTP to the decision in a child run, over continue-as-new, without secrets or content', async () => {
      around.provider.reply(
        { toolCalls: [{ name: 'note', arguments: JSON.stringify({ text: content }) }] },
        { text: `noted ${content}` },
      );
      const traceId = 'a'.repeat(32);
      const started = await api.post(
        '/namespaces/default/runs',
        { procedure: 'main', input: { text: content }, run_id: 'traced' },
        { traceparent: `00-${traceId}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' },
      );
      expect(started.status).toBe(201);
      const tactus = new TactusClient(around.server.env.client);
      await waitUntil(async () => (await tactus.pending('traced')).length > 0, 30_000);
      const [request] = await tactus.pending('traced');
      await tactus.decide({ request: request?.id ?? '', value: true, by: 'ann', id: 'd1' });
      await tactus.attach('traced').result();
      const isWhole = (): boolean => receiver.spans().some(({ name }) => name === 'invoke_workflow main');
      await waitUntil(() => Promise.resolve(isWhole()), 10_000);

      const spans = receiver.spans();
      expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
      const executions = spans.filter(({ name }) => name === 'execution');
      expect(treeOf(spans, 'b'.repeat(16)).filter((line) => !/execution|^ {4}sleep/.test(line))).toEqual([
        'POST /api/v1/namespaces/{namespace}/runs',
        '  invoke_workflow main',
        '    invoke_agent clerk',
        '      chat openai/gpt-5-mini',
        '      execute_tool note',
        '        step',
        '          sleep',
        '      chat openai/gpt-5-mini',
        ...['    parallel', '      branch', '        sleep', '      branch', '        sleep'],
        '    procedure_call',
        '      invoke_workflow child',
        '        decision approval',
        '        step',
      ]);
      // Each execution but the first follows the one before.
      expect(executions.length).toBeGreaterThan(1);
      expect(executions.map(({ links }) => links.map(({ spanId }) => spanId))).toEqual([
        [],
        ...executions.slice(0, -1).map(({ spanId }) => [spanId]),
      ]);
      const [chat] = spans.filter(({ name }) => name.startsWith('chat'));
      expect(chat?.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'openai/gpt-5-mini',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.response.finish_reasons': ['tool_calls'],
      });
      // What the calls asked others for hangs below their spans.
      const chats = spans.filter(({ name }) => name.startsWith('chat')).map(({ spanId }) => spanId);
      const asked = around.provider.requests.map(({ headers }) => [
        headers['traceparent'],
        headers['tracestate'],
      ]);
      expect(asked).toEqual(chats.map((spanId) => [`00-${traceId}-${spanId}-01`, 'vendor=1']));
      const decision = spans.find(({ name }) => name === 'decision approval');
      expect(decision?.attributes).toMatchObject({
        'tactus.run.id': 'traced/10',
        'tactus.decision.outcome': 'approved',
        'tactus.decision.by': 'claim',
      });
      const failed = spans.find(({ isFailed }) => isFailed);
      expect(failed).toMatchObject({ name: 'step', attributes: { 'error.type': 'lua_error' } });
      if (isDirect) expect(receiver.headers[0]).toMatchObject({ 'x-key': 'of mine' });
      expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['shop']));
      expect(receiver.bodies.join()).not.toMatch(/canary/);
    });

    it('gets a run below the span of the process whose command started it', async () => {
      const folder = cliFolder({ TEMPORAL_ADDRESS: around.server.env.address });
      folder.write('timed.tac', 'Procedure { function() Sleep(0.01) return 1 end }');
      const env = { TRACEPARENT: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
      expect((await folder.runHere(['run', 'timed.tac', '--json'], { env })).code).toBe(0);
      const found = await waitUntil(() =>
        Promise.resolve(receiver.spans().find(({ name }) => name === 'invoke_workflow timed') ?? null),
      );
      expect(found).toMatchObject({ traceId: 'c'.repeat(32), parentSpanId: 'd'.repeat(16) });
      await folder.close();
    });
  },
);
