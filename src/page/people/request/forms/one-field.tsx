import type { VNode } from 'preact';
import type { FieldsProps } from '../fields-props.js';
import { ApprovalFields } from './approval-fields.js';
import { EscalationFields } from './escalation-fields.js';
import { InputFields } from './input-fields.js';
import { ReviewFields } from './review-fields.js';
import { SelectFields } from './select-fields.js';
import { UploadFields } from './upload-fields.js';

/** The fields for one question, which is a request of its own or one of several. */
export function OneField(props: FieldsProps): VNode | null {
  switch (props.subject.kind) {
    case 'approval':
      return <ApprovalFields {...props} />;
    case 'input':
      return <InputFields {...props} />;
    case 'review':
      return <ReviewFields {...props} />;
    case 'select':
      return <SelectFields {...props} />;
    case 'upload':
      return <UploadFields {...props} />;
    case 'escalation':
      return <EscalationFields {...props} />;
    // Questions don't hold questions.
    case 'multiple':
      return null;
  }
}
