import { setOwn } from '../../../contract/json/json.js';
import { readQuoted } from '../python-literal.js';
import type { StepDefinition } from '../step-definition.js';

/** What the scenario's folder of files has, besides its fixtures. */
export const fileSteps: StepDefinition[] = [
  {
    kind: 'arrange',
    pattern: /the file "([^"]+)" contains (.+)/,
    arrange: ({ files }, path = '', text = '') => setOwn(files, path, readQuoted(text) ?? text),
    tooLate:
      'this gives the file to the procedure, and comes before it runs. To look at a file after that, write a step of your own with assert(File.read(…):find(…))',
  },
];
