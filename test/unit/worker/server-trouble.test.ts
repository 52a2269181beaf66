import { expect, it } from 'vitest';
import { tellingLines, troubleOf } from '../../../src/worker/server/embedded-server/embedded-server.js';
import { serverFolder } from '../../../src/worker/server/embedded-server/server-folder.js';

/** As Temporal's development server writes them. */
const panic = `time=2026-01-02T03:04:05 level=WARN msg="slow"
panic: unable to start frontend: listen tcp 127.0.0.1:45149: bind: address already in use

goroutine 1 [running]:
github.com/temporalio/cli/internal/devserver.Start({{0x7ffd94a27dac, 0x9}})
\t/home/runner/work/cli/cli/internal/devserver/server.go:130 +0x1b9
tactus-temporal: The server has ended`;

it('finds the trouble that people can see to in what the server wrote', () => {
  const files = serverFolder(process.cwd());
  expect(troubleOf(files, panic)).toBe('port_taken');
  expect(troubleOf(files, 'level=ERROR error="database or disk is full (13)"')).toBe('disk_full');
  expect(troubleOf(files, 'write server.log: no space left on device')).toBe('disk_full');
  expect(troubleOf(files, 'level=WARN msg="slow"')).toBeNull();
});

it('shows what tells something, and no stack of Go', () => {
  expect(tellingLines(panic, 5)).toBe(
    'panic: unable to start frontend: listen tcp 127.0.0.1:45149: bind: address already in use\ntactus-temporal: The server has ended',
  );
  expect(tellingLines('one\n\ntwo\nthree\n', 2)).toBe('two\nthree');
});
