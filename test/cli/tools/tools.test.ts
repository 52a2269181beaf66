import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TaskState } from '@a2a-js/sdk';
import { Client, Connection } from '@temporalio/client';
import { A2AStandIn } from '../../support/a2a-stand-in.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { historiesOf, scheduledOn } from '../../support/histories.js';

const root = resolve(import.meta.dirname, '../../..');
const ownServer = join(root, 'test/support/mcp-server.mjs');

/** A module that needs nothing but what any project has. */
const moduleOfTools = `
import { z } from ${JSON.stringify(join(root, 'node_modules/zod/index.js'))};
export const charge = {
  name: 'charge',
  description: 'Charges a card',
  input: z.object({ cents: z.number() }),
  effect: 'once',
  execute: ({ cents }, { approvedBy }) => 'charged ' + cents + ' for ' + (approvedBy ?? 'nobody'),
};
`;

const configuration = `
tool_modules: [./tools.mjs]
mcp_servers:
  till:
    command: ${process.execPath}
    args: [${ownServer}, calls, "\${LOOK}"]
    env: { SOME: thing }
    effects: { balance: pure }
tool_policy:
  - { tool: charge, when: { cents: { above: 100 } }, action: approve, approvers: [ann] }
  - { tool: mcp.till.refund, action: deny }
`;

let folder: CliFolder;

beforeEach(() => {
  folder = cliFolder({ LOOK: 'none' });
  folder.write('.tactus/config.yml', configuration);
  folder.write('tools.mjs', moduleOfTools);
});
afterEach(() => folder.close());

describe('tools of the configuration', () => {
  it('are called by a run, as its policy says', async () => {
    folder.write(
      'main.tac',
      `charge = Tool { use = "host.charge" }
       Procedure { function()
         local small = charge({ cents = 5 })
         local paid = mcp.till.pay({ cents = 7 })
         local ok, why = pcall(mcp.till.refund, { cents = 1 })
         return { small, paid, tostring(why), charge({ cents = 500 }) }
       end }`,
    );
    const waiting = await folder.runHere(['run', 'main.tac', '--json']);
    expect(waiting.code).toBe(3);
    const { run_id: run, pending } = waiting.json() as {
      run_id: string;
      pending: { id: string; message: string; approvers: string[]; context: unknown }[];
    };
    expect(pending).toMatchObject([
      {
        message: 'Allow this call of host.charge?',
        approvers: ['ann'],
        context: { tool: 'host.charge', arguments: { cents: 500 }, effect: 'once', procedure: 'main' },
      },
    ]);
    const answered = await folder.runHere(['respond', pending[0]?.id ?? '', 'y', '--as', 'ann']);
    expect(answered.code).toBe(0);
    const done = await folder.runHere(['resume', run, '--json']);
    expect(done.json()).toMatchObject({
      output: [
        'charged 5 for nobody',
        'paid 7',
        expect.stringContaining('was not called: the policy forbids it') as unknown,
        'charged 500 for ann',
      ],
    });
    const log = await folder.runHere(['log', run]);
    expect(log.stdout).toContain('tool_attempt');
    // The process of the server is gone with the worker of each command: no command would have ended else.
    expect(readFileSync(join(folder.path, 'calls'), 'utf8')).toContain('"cents":7');
  });

  it('are listed, with what a second call does and what the policy says', async () => {
    const listed = await folder.run(['tools']);
    expect([
      listed.code,
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ]).toEqual([
      0,
      [
        'host.charge  once · allow, and by arguments or procedure  Charges a card',
        'mcp.till.pay  once  Pays somebody',
        'mcp.till.balance  pure  What there is',
        'mcp.till.refund  once · deny  Asks before',
        'mcp.till.again  once  Wants nothing but to be called again',
      ],
    ]);
    folder.write('.tactus/config.yml', 'mcp_servers: { gone: { command: /nonexistent } }');
    const broken = await folder.runHere(['tools', '--json']);
    expect([broken.code, broken.json()]).toEqual([
      1,
      {
        tools: [],
        problems: [{ source: 'mcp.gone', problem: expect.stringContaining('ENOENT') as unknown }],
      },
    ]);
  });

  it('are the nodes and reducers of graphs, too', async () => {
    folder.write('.tactus/config.yml', 'tool_modules: [./graphs.mjs]');
    folder.write(
      'graphs.mjs',
      `export const sums = {
        name: 'sums',
        channels: { total: (current, update) => (current ?? 0) + update },
        nodes: { add: async ({ state, by }) => ({ stateDiff: { total: by * state.total } }) },
      };`,
    );
    folder.write(
      'main.tac',
      `main = Graph {
         channels = { total = Tool { use = "host.sums.channels.total" } },
         nodes = { add = Tool { use = "host.sums.add" } },
       }`,
    );
    const listed = await folder.runHere(['tools']);
    expect(listed.stdout).toContain('host.sums.add  idempotent  The node add of the graph sums');
    expect(listed.stdout).toContain('host.sums.channels.total  pure  The reducer of the channel total');
    const input = JSON.stringify({ total: 2, context: { by: 10 } });
    const done = await folder.runHere(['run', 'main.tac', '--input', input, '--json']);
    expect(done.json()).toMatchObject({ output: { total: 22 } });
  });

  it('are called on the task queue that tool_queues names, which the command serves', async () => {
    const queues = 'tool_queues: { charge: { task_queue: cards, per_second: 50 }, till.*: cards }';
    folder.write('.tactus/config.yml', `${configuration}${queues}\n`);
    folder.write(
      'main.tac',
      `charge = Tool { use = "host.charge" }
       Procedure { function() return { charge({ cents = 5 }), mcp.till.pay({ cents = 7 }) } end }`,
    );
    const ended = await folder.runHere(['run', 'main.tac', '--id', 'paid', '--json']);
    expect(ended.json(), ended.stderr).toMatchObject({ output: ['charged 5 for nobody', 'paid 7'] });
    const { address } = (await folder.runHere(['server', 'status', '--json'])).json();
    const connection = await Connection.connect({ address: address as string });
    try {
      const [history = {}] = await historiesOf(new Client({ connection }), 'paid');
      expect(scheduledOn(history).filter((each) => each.startsWith('callTool'))).toEqual([
        'callTool on cards',
        'callTool on cards',
      ]);
    } finally {
      await connection.close();
    }
  });

  it('are told of, where they are wrong, with nothing started', async () => {
    folder.write('main.tac', 'return 1');
    folder.write('plain.mjs', moduleOfTools.replace('z.object({ cents: z.number() })', '{ type: "object" }'));
    const refusals: [string, string][] = [
      ['tool_modules: [./nothing.mjs]', "tool_modules: ./nothing.mjs can't be loaded"],
      ['tool_modules: [./main.tac]', "tool_modules: ./main.tac can't be loaded"],
      ['tool_modules: [./plain.mjs]', 'tool_modules: ./plain.mjs: input of charge is a plain object'],
      ['mcp_servers: { till: { comand: x } }', 'mcp_servers.till has the unknown field comand'],
      ['mcp_servers: { till: {} }', 'mcp_servers.till.command must be text'],
      ['tool_queues: { charge: tactus }', 'tool_queues.charge names tactus, the task queue of the runs'],
      ['tool_policy: [{ tool: x }]', 'rule 1: action must be allow, approve or deny, got null'],
      ['tool_policy: [{ tool: x, action: deny, wen: {} }]', 'rule 1 has the unknown field wen'],
    ];
    for (const [text, problem] of refusals) {
      folder.write('.tactus/config.yml', text);
      const { code, stderr } = await folder.runHere(['run', 'main.tac']);
      expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    }
  });

  it('are no business of files beside a procedure', async () => {
    folder.write('.tactus/config.yml', 'tool_policy: { default: deny }');
    folder.write(
      'main.tac.yml',
      `mcp_servers: { till: { command: ${process.execPath} } }\ntool_policy: { default: allow }`,
    );
    folder.write(
      'main.tac',
      `Procedure { function()
         local ok, why = pcall(mcp.till.pay, { cents = 1 })
         local lua = Tool { name = "lua", function() return 1 end }
         local fine, other = pcall(lua, {})
         return { tostring(why), tostring(other) }
       end }`,
    );
    const { json, stderr } = await folder.runHere(['run', 'main.tac', '--json']);
    expect(stderr).toContain('main.tac.yml: mcp_servers has no effect here');
    expect(json()).toMatchObject({
      output: [
        expect.stringContaining('the worker has no MCP server for mcp.till.pay') as unknown,
        expect.stringContaining('lua was not called: the policy forbids it') as unknown,
      ],
    });
  });
});

describe('agents outside, of the configuration', () => {
  it('are listed, and what they ask is answered by a command', async () => {
    const travel = await A2AStandIn.start();
    const hostile = '\u001B[2J\u202Eapproved';
    travel.conduct = (n, heard) =>
      n === 0
        ? {
            state: TaskState.TASK_STATE_INPUT_REQUIRED,
            says: [`Which class?${hostile}`, { options: ['first', 'second'] }],
          }
        : { state: TaskState.TASK_STATE_COMPLETED, gives: [{ heard }] };
    const agent = `{protocol: a2a, url: "${travel.url}", poll: 200ms, effect: idempotent}`;
    folder.write('.tactus/config.yml', `outside_agents: {travel: ${agent}}`);
    folder.write(
      'main.tac',
      `travel = Tool { use = "agent.travel" }
       Procedure { function() return travel({ message = "To the sea" }).heard end }`,
    );
    try {
      const listed = await folder.runHere(['tools', '--json']);
      expect(listed.json()).toMatchObject({
        tools: [{ source: 'agent.travel', effect: 'idempotent', policy: 'allow' }],
      });
      const waiting = await folder.runHere(['run', 'main.tac', '--json']);
      expect(waiting.code).toBe(3);
      const { run_id: run, pending } = waiting.json() as { run_id: string; pending: { id: string }[] };
      const [request] = pending;
      expect(request).toMatchObject({ origin: { source: 'agent.travel', protocol: 'a2a' } });
      const shown = (await folder.runHere(['pending'])).stdout;
      expect(shown).toMatch(
        /wanted by agent\.travel \(a2a\) at http:\/\/127\.0\.0\.1:\d+, its task [\w-]+: decided here/,
      );
      expect(shown).not.toContain('\u001B[2J');
      expect(shown).not.toContain('\u202E');
      expect((await folder.runHere(['respond', request?.id ?? '', 'first'])).code).toBe(0);
      const done = await folder.runHere(['resume', run, '--json']);
      expect(done.json()).toMatchObject({ status: 'completed', output: ['To the sea', 'first'] });
    } finally {
      await travel.stop();
    }
  });
});
