import { expect, it } from 'vitest';
import { readIndexAddress } from '../../../../src/contract/lists/index-address.js';

it.each([
  ['postgres://tactus@db/tactus', { postgres: 'postgres://tactus@db/tactus' }],
  ['POSTGRESQL://tactus@db/tactus', { postgres: 'postgresql://tactus@db/tactus' }],
  ['runs.sqlite', { file: 'runs.sqlite' }],
  ['./runs:2026.sqlite', { file: './runs:2026.sqlite' }],
  ['/var/lib/runs.sqlite', { file: '/var/lib/runs.sqlite' }],
  ['C:\\data\\runs.sqlite', { file: 'C:\\data\\runs.sqlite' }],
  ['sqlite:runs.sqlite', { file: 'runs.sqlite' }],
  ['file:runs.sqlite', { file: 'runs.sqlite' }],
  ['file:///var/lib/a%20b.sqlite', { file: '/var/lib/a b.sqlite' }],
])('%s is an address of an index', (text, address) => {
  expect(readIndexAddress(text)).toEqual(address);
});

it.each([
  ...[
    'mysql://user:secret@host/db',
    'redis://:secret@host:6379/0',
    's3://bucket/runs',
    'sqlserver:host;password=x',
  ],
  ...['postgres:/host/db', 'postgre://host/db', 'http://host/runs.sqlite', 'user:secret@host/db', 'sqlite:'],
  ...[
    'sqlite://host/runs.sqlite',
    'file://host/runs.sqlite',
    'jdbc:postgresql://host/db',
    'mongodb+srv://a:b@c',
  ],
])('%s is none', (text) => {
  expect(readIndexAddress(text)).toBe(null);
});
