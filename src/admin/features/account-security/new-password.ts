import { issueText } from '#admin/lib/errors.ts'

/** The minimum length in characters. The server also refuses common passwords. */
export const minimumPassword = 10

/** Returns an error text if the new password is shorter than `minimumPassword`, otherwise null. */
export const newPasswordProblem = (password: string): string | null =>
  [...password].length >= minimumPassword
    ? null
    : issueText({ code: 'TooFewCharacters', params: { minimum: minimumPassword } })
