import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

const root = resolve(import.meta.dirname, '../../..');
const paths = JSON.parse(readFileSync(join(root, '.toolchain', 'paths.json'), 'utf8')) as {
  localModel: { gguf: string } | null;
};
const hasLocalModel = paths.localModel !== null && existsSync(paths.localModel.gguf);

let provider: ProviderStandIn;
let folder: CliFolder;
let atProvider: { env: NodeJS.ProcessEnv };

beforeAll(async () => {
  provider = await startProviderStandIn();
  atProvider = { env: { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'sk-test' } };
  folder = cliFolder();
  cpSync(join(root, 'examples'), join(folder.path, 'examples'), { recursive: true });
  cpSync(join(root, 'tactus.yml'), join(folder.path, 'tactus.yml'));
});
afterAll(async () => {
  await folder?.close();
  await provider?.close();
});

describe('the examples', () => {
  it('approval.tac is answered at the terminal', async () => {
    const terminal = folder.terminal(['run', 'examples/approval.tac']);
    await terminal.shows('Deploy version 42?');
    terminal.type('y');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('Deploying');
    expect(terminal.screen()).toContain('"approved": true');
    expect(terminal.screen()).toContain('Web UI: http://127.0.0.1:');
  });

  it('a question at the terminal goes away when somebody else answers it', async () => {
    const terminal = folder.terminal(['run', 'examples/approval.tac', '--id', 'elsewhere']);
    await terminal.shows('Deploy version 42?');
    expect((await folder.runHere(['respond', 'elsewhere/0', 'n'])).code).toBe(0);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('Left as it is');
  });

  it('Ctrl-C at a question leaves the run alone', async () => {
    const terminal = folder.terminal(['run', 'examples/approval.tac', '--id', 'left']);
    await terminal.shows('Deploy version 42?');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).toContain('tactus-temporal resume left');
    expect((await folder.runHere(['status', 'left'])).stdout).toContain('waiting for human');
  });

  it('release.tac takes an answer of every kind', async () => {
    folder.write('plan.md', '# The plan');
    const answers = ['["eu","ap"]', '{"version":"1.2.3","channel":"stable"}', 'plan.md', '"seen"', 'y'];
    const args = ['run', 'examples/release.tac', '--json'];
    const ended = await folder.runHere([...args, ...answers.flatMap((each) => ['--respond', each])]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({
      output: { released: true, regions: ['eu', 'ap'], version: '1.2.3' },
      logs: [{ level: 'info', message: 'The plan is plan.md, 10 bytes' }],
    });
  });

  it('release.tac shows what may be answered, and takes nothing else', async () => {
    const ended = await folder.runHere(['run', 'examples/release.tac', '--id', 'shown', '--json']);
    expect(ended.code).toBe(3);
    const pending = await folder.runHere(['pending', 'shown']);
    expect(pending.stdout).toContain(
      '1 to 2 of: eu (Europe), us (United States), ap (Asia Pacific): at night only',
    );
    expect((await folder.runHere(['respond', 'shown/0', 'eu,us,ap'])).stderr).toContain(
      'at most 2 may be chosen',
    );
    expect((await folder.runHere(['respond', 'shown/0', 'Europe'])).code).toBe(0);
    const wrong = await folder.runHere(['respond', 'shown/1', '{"version":"next","channel":"beta"}']);
    expect(wrong.stderr).toContain('response_schema');
  });

  it('release.tac is answered at the terminal', async () => {
    folder.write('plan.md', '# The plan');
    const terminal = folder.terminal(['run', 'examples/release.tac']);
    await terminal.shows('Where does it go?');
    terminal.type(' ');
    terminal.type('\r');
    await terminal.shows('Version: Which version?');
    terminal.type('1.2.3\r');
    await terminal.shows('Channel: For whom?');
    terminal.type('\r');
    await terminal.shows('Notes: Anything to add?');
    terminal.type('\r');
    await terminal.shows('The plan, please');
    terminal.type('plan.md\r');
    await terminal.shows('Release it?');
    terminal.type('y');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('"version": "1.2.3"');
    expect(terminal.screen()).toContain('"eu"');
  });

  it('translations.tac starts runs that ask people by themselves', async () => {
    const args = ['run', 'examples/translations.tac', '--id', 'shop', '--json'];
    const ended = await folder.runHere(args);
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.json()).toMatchObject({ status: 'waiting_for_children' });
    expect((await folder.runHere(['respond', 'shop/1/0', 'Ouverture à neuf heures.'])).code).toBe(0);
    const resumed = await folder.runHere(['resume', 'shop', '--respond', 'A', '--respond', 'B', '--json']);
    expect(resumed.code, resumed.stderr).toBe(0);
    const { output } = resumed.json() as { output: { texts: Record<string, string> } };
    expect(output).toMatchObject({ first: 'French', sent: true });
    expect(output.texts['French']).toBe('Ouverture à neuf heures.');
    expect(Object.values(output.texts).sort()).toEqual(['A', 'B', 'Ouverture à neuf heures.']);
  });

  it('translations.tac is not followed to another day', async () => {
    const later = ['--param', 'not_before=2099-01-01T09:00:00+01:00'];
    const answers = ['A', 'B', 'C'].flatMap((each) => ['--respond', each]);
    const ended = await folder.runHere(['run', 'examples/translations.tac', ...later, ...answers, '--json']);
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.json()).toMatchObject({
      status: 'waiting_for_time',
      waits: [{ kind: 'time', name: 'opening', resume_at: '2099-01-01T08:00:00Z' }],
    });
  });

  it('joke.tac asks the model once', async () => {
    provider.reply({ text: 'A cat walks into a bar.' });
    const args = ['run', 'examples/joke.tac', '--respond', 'y', '--json'];
    const ended = await folder.runHere(args, atProvider);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({ output: { joke: 'A cat walks into a bar.', liked: true } });
    expect(provider.requests).toHaveLength(1);
  });

  it('review-triage.tac asks about the worst review', async () => {
    const before = provider.requests.length;
    provider.reply((request) => {
      const [question = ''] = JSON.stringify(request.body['messages']).split('Review: ').slice(-1);
      if (!question.includes('Sentiment:')) return { text: '{"cause": "a delay"}' };
      return {
        text: JSON.stringify({ sentiment: /\([12] stars\)/.test(question) ? 'negative' : 'positive' }),
      };
    });
    const ended = await folder.runHere(['run', 'examples/review-triage.tac', '--json'], atProvider);
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.json()['pending']).toMatchObject([{ message: 'Send this answer to review 1042?' }]);
    expect(provider.requests.length - before).toBe(9);
    const resumed = await folder.runHere([
      'resume',
      ended.json()['run_id'] as string,
      '--respond',
      'false',
      '--json',
    ]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.json()['output']).toEqual({
      positive: 5,
      negative: 3,
      ticket: '#1042 Kettle 1.7 l (urgent)',
      answer:
        'Thank you for writing to us about the Kettle 1.7 l. I am sorry that you had to wait. The postage is on us, and so is that of your next order.',
      sent: false,
    });
  });

  it.runIf(hasLocalModel)(
    'review-triage.tac is sorted right by the local model, time after time',
    async () => {
      for (let time = 0; time < 2; time++) {
        const ended = await folder.runHere(['run', 'examples/review-triage.tac', '--respond', 'y', '--json']);
        expect(ended.code, ended.stderr).toBe(0);
        const { printed, output } = ended.json();
        const sorted = (printed as string[]).slice(1).map((text) => text.replace(/ .*?(\d) .*/, ' $1'));
        const right = [5, 1, 4, 2, 5, 3, 1, 4].map(
          (stars) => `${stars > 3 ? 'positive' : 'negative'} ${stars}`,
        );
        expect(sorted).toEqual(right);
        expect(output).toMatchObject({
          answer: expect.stringContaining('A new one is on its way') as string,
        });
      }
    },
  );

  it('support-inbox.tac asks a model only where likeness is not enough', async () => {
    const before = provider.requests.length;
    provider.reply(
      { toolCalls: [{ name: 'desk_hours', arguments: '{"topic": "billing"}' }] },
      { toolCalls: [{ name: 'done', arguments: '{"reason": "You get it back."}' }] },
    );
    const args = ['run', 'examples/support-inbox.tac', '--json'];
    const ended = await folder.runHere(args, atProvider);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()['output']).toEqual({
      topic: 'billing',
      answer: 'You get it back.',
      asked: true,
      messages: 6,
    });
    expect(JSON.stringify(provider.requests[before]?.body['messages'])).toContain(
      'about kettles in one sentence.\\n\\nNever promise a date.',
    );

    provider.reply({ text: '{"value": "other"}' }, { text: 'We are closed.' });
    const other = await folder.runHere([...args, '--param', 'message=Are you open on Sunday?'], atProvider);
    expect(other.code, other.stderr).toBe(0);
    expect(other.json()['output']).toMatchObject({ topic: 'other', answer: 'We are closed.', asked: false });
  });

  it('older-dialect.tac runs as it was written for 0.10', async () => {
    provider.reply(
      { text: 'Let me see.', toolCalls: [{ name: 'add', arguments: '{"a": 2, "b": 3}' }] },
      { toolCalls: [{ name: 'done', arguments: '{"reason": "5"}' }] },
    );
    const ended = await folder.runHere(['run', 'examples/older-dialect.tac', '--json'], atProvider);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()['output']).toEqual({
      result: '5',
      turns: 1,
      said: ['user', 'assistant', 'tool', 'assistant', 'tool'],
    });
  });

  it('extract-notes.tac writes what a model found', async () => {
    provider.reply(
      { text: '{"product": "Kettle", "stars": 5}' },
      { text: 'It is a lamp.' },
      { text: '{"product": "Lamp", "stars": 2}' },
      { text: 'One good, one bad' },
    );
    const ended = await folder.runHere(['run', 'examples/extract-notes.tac', '--json'], atProvider);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()['output']).toEqual({ notes: 2, headline: 'One good, one bad' });
    expect(JSON.parse(readFileSync(join(folder.path, 'examples', 'notes.json'), 'utf8'))).toEqual([
      { product: 'Kettle', stars: 5 },
      { product: 'Lamp', stars: 2 },
    ]);
  });

  it.runIf(hasLocalModel)('review-triage.tac needs neither key nor network', async () => {
    const ended = await folder.runHere(['run', 'examples/review-triage.tac', '--respond', 'true']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('smollm2-135m-instruct');
    expect(ended.stdout).toMatch(/^8 reviews in reviews.csv\n/);
    expect(ended.stdout).toContain('"sent": true');
  });
});
