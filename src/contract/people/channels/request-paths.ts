/** Of the page and the HTTP API of `serve`, below its address. Everything that links to a request does it by these. */
export const requestPaths = {
  /** Where a person looks at a request and answers it. */
  page: (id: string): string => `/requests/${encodeURIComponent(id)}`,
  /** Where one person answers without signing in. What stands behind `#` no browser sends: no server's log has the token. */
  link: (token: string): string => `/link#${token}`,
  /** Where a program decides it, by POST. */
  decide: (namespace: string, id: string): string =>
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/requests/${encodeURIComponent(id)}/decide`,
} as const;
