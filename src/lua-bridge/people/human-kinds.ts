import { approve } from './approve.js';
import { custom } from './custom.js';
import { escalate } from './escalate.js';
import type { HumanKind } from './human-kind.js';
import { input } from './input.js';
import { multiple } from './multiple.js';
import { review } from './review.js';
import { select } from './select.js';
import { upload } from './upload.js';

/** The functions of `Human` that ask and wait, by their names. */
export const humanKinds = {
  ...{ approve, input, review, select, multiple, upload, escalate, custom },
  // The reference's old name.
  inputs: multiple,
} satisfies Record<string, HumanKind>;
