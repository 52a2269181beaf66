import { always, defineEffect } from '../effects/define-effect.js';
import type { EffectClass } from '../tools/outside-tool.js';

/** One operation on a file of the worker. */
export interface FileEffect {
  kind: 'file';
  operation:
    | 'read'
    | 'write'
    | 'append'
    | 'exists'
    | 'size'
    | 'list'
    | 'delete'
    /** A file is kept as it is, put back as it was, or what was kept of it is removed. */
    | 'keep'
    | 'restore'
    | 'forget';
  path: string;
  content?: string;
  /** Where the path begins, as the run was told of its procedure's folder; left out: where all files are. */
  folder?: string;
  /** Position of the call that a file is kept for. */
  transaction?: string;
}

const classes: Record<FileEffect['operation'], EffectClass> = {
  ...{ read: 'pure', exists: 'pure', size: 'pure', list: 'pure' },
  ...{ write: 'idempotent', delete: 'idempotent', keep: 'idempotent', restore: 'idempotent' },
  ...{ forget: 'idempotent', append: 'once' },
};

export const file = defineEffect<FileEffect>()({
  kind: 'file',
  types: ['file'],
  identity: {
    changedWith: [],
    fields: {
      kind: always,
      operation: always,
      path: always,
      content: always,
      folder: always,
      transaction: always,
    },
  },
  effectClass: ({ operation }) => classes[operation],
  shown: ({ path }) => ({ path }),
  wait: 'activity',
  failure: 'file_failed',
  isRemote: false,
  // A marker while nothing else of the run is under way; else an activity.
  historyEvents: 6,
  drawn: 'file',
  example: ({ operation, path }) => {
    if (operation === 'read') return `content of ${path}`;
    return operation === 'list' ? [] : true;
  },
});
