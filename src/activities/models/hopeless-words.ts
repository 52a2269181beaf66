/** Words of providers for what another attempt can't mend, though the status or its absence suggests that it might. */
export const hopelessWords: ReadonlySet<string> = new Set([
  'authentication_error',
  'billing_error',
  'content_filter',
  'context_length_exceeded',
  'insufficient_quota',
  'invalid_api_key',
  'invalid_prompt',
  'invalid_request_error',
  'model_not_found',
  'not_found_error',
  'permission_error',
]);
