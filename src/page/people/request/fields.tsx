import type { VNode } from 'preact';
import type { FieldsProps } from './fields-props.js';
import { ItemFields } from './forms/item-fields.js';
import { OneField } from './forms/one-field.js';

/** The fields for what a request asks. */
export function Fields(props: FieldsProps): VNode {
  return props.subject.kind === 'multiple' ? <ItemFields {...props} /> : <OneField {...props} />;
}
