import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder, type Ended } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

/** The three scenarios of the checkpoint-and-resume plan, by the commands that a person types. */

const canary = 'sk-canary-4f1d2c9ae07b';
const basic = `
function main()
    print("Step 1: Before HITL")
    local approved = Human.approve("Should we continue?")
    print("Step 2: After HITL, approved=" .. tostring(approved))
    return {approved = approved}
end`;
const joke = `
function main()
    print("Step 1: Calling LLM")
    local result = Agent.run({
        prompt = "Generate a random joke",
        model = "gpt-3.5-turbo"
    })
    print("Step 2: LLM returned: " .. result.output)

    print("Step 3: Asking for approval")
    local approved = Human.approve("Like this joke?")

    print("Step 4: Done, approved=" .. tostring(approved))
    return {joke = result.output, approved = approved}
end`;
const multi = `
function main()
    print("Step 1")
    local first = Human.approve("First question?")
    print("Step 2, first=" .. tostring(first))

    local second = Human.approve("Second question?")
    print("Step 3, second=" .. tostring(second))

    local third = Human.approve("Third question?")
    print("Step 4, third=" .. tostring(third))
    return {first = first, second = second, third = third}
end`;

let provider: ProviderStandIn;
let folder: CliFolder;

beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: canary });
  folder.write('test-resume-basic.tac', basic);
  folder.write('test-resume-llm.tac', joke);
  folder.write('test-resume-multi.tac', multi);
});

afterAll(async () => {
  await folder?.close();
  await provider?.close();
});

/** How often a text was shown in all of the outputs together. */
function times(text: string, ...outputs: string[]): number {
  return outputs.join('\n').split(text).length - 1;
}

async function answerElsewhere(answer: 'y' | 'n'): Promise<Ended> {
  const ended = await folder.runHere(['control', '--respond', answer]);
  expect(ended.stderr + ended.stdout).toContain('accepted');
  expect(ended.code).toBe(0);
  return ended;
}

describe('checkpoint and resume', () => {
  it('goes on behind an approval that was answered while nobody was there', async () => {
    const first = folder.terminal(['run', 'test-resume-basic.tac', '--id', 'basic']);
    await first.shows('Should we continue?');
    await first.kill();
    await answerElsewhere('y');

    const resumed = await folder.runHere(['resume', 'basic']);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).not.toContain('Step 1');
    expect(resumed.stdout).toContain('Step 2: After HITL, approved=true');
    expect(times('Step 1: Before HITL', first.screen(), resumed.stdout)).toBe(1);

    const again = await folder.runHere(['run', 'test-resume-basic.tac', '--id', 'basic', '--json']);
    expect(again.code).toBe(0);
    expect(again.json()).toMatchObject({ status: 'completed', output: { approved: true } });
    expect(again.json()['printed']).toEqual(['Step 1: Before HITL', 'Step 2: After HITL, approved=true']);
    expect(again.stderr).not.toContain('Step 2');
  });

  it('asks the model once, and shows the same joke', async () => {
    provider.reply({ text: 'Why did the workflow sleep? It had a timer.' });
    const first = folder.terminal(['run', 'test-resume-llm.tac', '--id', 'llm']);
    await first.shows('Like this joke?');
    // As the model wrote it, and as the procedure printed it.
    expect(times('It had a timer.', first.screen())).toBe(2);
    await first.kill();
    await answerElsewhere('y');

    const resumed = await folder.runHere(['run', 'test-resume-llm.tac', '--id', 'llm', '--json']);
    expect(resumed.code).toBe(0);
    expect(provider.requests).toHaveLength(1);
    expect(resumed.json()['output']).toEqual({
      joke: 'Why did the workflow sleep? It had a timer.',
      approved: true,
    });
    for (const line of ['Step 1: Calling', 'Step 2: LLM returned', 'Step 3: Asking', 'Step 4: Done'])
      expect(times(line, first.screen(), resumed.stderr), line).toBe(1);
  });

  it('is killed after each of three approvals, and loses none', async () => {
    const args = ['run', 'test-resume-multi.tac', '--id', 'multi'];
    const first = folder.terminal(args);
    await first.shows('First question?');
    first.type('y');
    await first.shows('Second question?');
    await first.kill();
    await answerElsewhere('n');

    const second = folder.terminal(args);
    await second.shows('Third question?');
    await second.kill();
    await answerElsewhere('y');

    const third = folder.terminal(['resume', 'multi']);
    await third.shows('Step 4');
    await third.kill();

    const last = await folder.runHere(['resume', 'multi']);
    expect(last.code).toBe(0);
    expect(JSON.parse(last.stdout)).toEqual({ first: true, second: false, third: true });
    const screens = [first, second, third].map((each) => each.screen());
    for (const line of ['Step 1\r', 'Step 2, first=true', 'Step 3, second=false', 'Step 4, third=true'])
      expect(times(line, ...screens, last.stdout), line).toBe(1);
  });

  it('keeps the key to itself', async () => {
    const outputs = await Promise.all(
      [
        ['log', 'llm', '--json'],
        ['status', 'llm', '--json'],
        ['doctor', '--json'],
      ].map((args) => folder.runHere(args)),
    );
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(canary);
    await folder.runHere(['server', 'stop']);
    for (const file of filesBelow(join(folder.path, '.tactus-temporal')))
      expect(readFileSync(file, 'latin1').includes(canary), file).toBe(false);
  });
});

function filesBelow(path: string): string[] {
  return readdirSync(path).flatMap((name) => {
    const file = join(path, name);
    return statSync(file).isDirectory() ? filesBelow(file) : [file];
  });
}
