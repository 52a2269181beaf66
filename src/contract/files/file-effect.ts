import { always, defineEffect } from '../effects/define-effect.js';

/** One operation on a file of the worker. */
export interface FileEffect {
  kind: 'file';
  operation: 'read' | 'write' | 'append' | 'exists' | 'size' | 'list' | 'delete';
  path: string;
  content?: string;
  /** Where the path begins, as the run was told of its procedure's folder; left out: where all files are. */
  folder?: string;
}

export const file = defineEffect<FileEffect>()({
  kind: 'file',
  types: ['file'],
  identity: {
    changedWith: [],
    fields: { kind: always, operation: always, path: always, content: always, folder: always },
  },
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
