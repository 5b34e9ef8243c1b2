let taken: { page: string; token: string } | undefined

/**
 * Returns the token of a mailed link, from the URL's hash. Removes it from the URL, so that it does not stay in the
 * history or in copied URLs. Later renders of the page still receive it.
 */
export function takeLinkToken(): string {
  const page = location.pathname
  const token = location.hash.slice(1)
  if (token) {
    taken = { page, token }
    history.replaceState(history.state, '', page)
  }
  return taken?.page === page ? taken.token : ''
}
