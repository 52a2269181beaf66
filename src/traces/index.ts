export { attributes, operations, providerNameOf } from './conventions.js';
export { openTraces, type Traces } from './open-traces.js';
export type { Attributes, AttributeValue, Span } from './span.js';
export { readTraceSettings } from './trace-settings.js';
