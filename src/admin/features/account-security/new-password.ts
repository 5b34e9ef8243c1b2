import { issueText } from '#admin/lib/errors.ts'

/** The minimum length in characters; the server also refuses common passwords. */
export const minimumPassword = 10

/** Returns the problem of a new password that the browser can find. null: no problem. */
export const newPasswordProblem = (password: string): string | null =>
  [...password].length >= minimumPassword
    ? null
    : issueText({ code: 'TooFewCharacters', params: { minimum: minimumPassword } })
