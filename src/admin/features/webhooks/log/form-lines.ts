/** Returns the decoded fields of a form-encoded body, one `name: value` per line. */
export const formLines = (body: string): string =>
  [...new URLSearchParams(body)].map(([name, value]) => `${name}: ${value}`).join('\n')

/** Checks whether a body with these headers is a form. */
export const isForm = (headers: readonly { name: string; value: string | null }[]): boolean =>
  headers.some(
    ({ name, value }) =>
      name.toLowerCase() === 'content-type' &&
      value?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true,
  )
