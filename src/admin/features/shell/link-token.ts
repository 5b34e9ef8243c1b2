let taken: { page: string; token: string } | undefined

/**
 * The token of a link in a mail, behind the `#`. It is taken out of the address, so that it stays neither in the history nor in
 * what somebody copies; a page that is rendered again still has it.
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
