import type { VNode } from 'preact';
import type { Draft, Subject } from './draft.js';
import { ApprovalFields } from './forms/approval-fields.js';
import { EscalationFields } from './forms/escalation-fields.js';
import { InputFields } from './forms/input-fields.js';
import { ItemFields } from './forms/item-fields.js';
import { ReviewFields } from './forms/review-fields.js';
import { SelectFields } from './forms/select-fields.js';
import { UploadFields } from './forms/upload-fields.js';

export interface FieldsProps {
  subject: Subject;
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Tells the fields of one question from those of another. */
  name: string;
}

/** The fields for what a request, or one of its questions, asks. */
export function Fields(props: FieldsProps): VNode {
  switch (props.subject.kind) {
    case 'approval':
      return <ApprovalFields {...props} />;
    case 'input':
      return <InputFields {...props} />;
    case 'review':
      return <ReviewFields {...props} />;
    case 'select':
      return <SelectFields {...props} />;
    case 'multiple':
      return <ItemFields {...props} />;
    case 'upload':
      return <UploadFields {...props} />;
    case 'escalation':
      return <EscalationFields {...props} />;
  }
}
