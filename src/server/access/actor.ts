/** Who acts: a person, a site's token, or the installation itself in a job that somebody asked for or the clock. */
export type Actor =
  | { kind: 'account'; accountId: string }
  | { kind: 'token'; tokenId: string }
  | { kind: 'job'; id: string; name: string }
