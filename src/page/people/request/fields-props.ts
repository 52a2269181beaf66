import type { Draft, Subject } from './draft.js';

export interface FieldsProps {
  subject: Subject;
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Tells the fields of one question from those of another. */
  name: string;
}
