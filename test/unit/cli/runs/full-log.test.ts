import { expect, it } from 'vitest';
import { fullLog } from '../../../../src/cli/runs/log-command.js';
import type { RequestedEffects } from '../../../../src/client/runs/replayed-program.js';
import type { LogPage } from '../../../../src/contract/runs/run-view.js';

const thoughts = { by: 'anthropic/claude', parts: [{ thought: 'The secret plan.' }] };
const messages = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello', thoughts },
  { role: 'user', content: 'Go on' },
];

function logOf(settings: { showContent?: boolean }): string {
  const asked = {
    started: { start: { settings } },
    effects: new Map([['1', { kind: 'model_call', call: { agent: 'a', messages } }]]),
  } as unknown as RequestedEffects;
  const page = { execution_log: [{ position: '1', type: 'model_call' }] } as unknown as LogPage;
  return JSON.stringify(fullLog(page, asked));
}

it('the whole log has what models thought only where show_content asks for it', () => {
  for (const settings of [{}, { showContent: false }]) {
    expect(logOf(settings)).toContain('"content":"Hello"');
    expect(logOf(settings)).not.toContain('secret plan');
  }
  expect(logOf({ showContent: true })).toContain('secret plan');
});
