import { issueText } from '#admin/lib/errors.ts'

/** In characters; the server decides, and knows which passwords are guessed first. */
export const minimumPassword = 10

/** What is wrong with a new password as far as the browser can tell; null for nothing. */
export const newPasswordProblem = (password: string): string | null =>
  [...password].length >= minimumPassword
    ? null
    : issueText({ code: 'TooFewCharacters', params: { minimum: minimumPassword } })
