/**
 * Policies for creating an account: only people with an invitation (`invited`), every visitor (`open`), or no visitor,
 * even with an invitation (`closed`).
 */
export const signupModes = ['invited', 'open', 'closed'] as const
export type SignupMode = (typeof signupModes)[number]

export const spaceCreations = ['admins', 'everyone'] as const
export type SpaceCreation = (typeof spaceCreations)[number]

/**
 * Whether the email address of a new account is confirmed before or after the account is created. `after`: the account
 * is created immediately, and an address in use is refused. `before`: the response is equal for all addresses, and a
 * link in a mail creates the account.
 */
export const signupConfirmations = ['after', 'before'] as const
export type SignupConfirmation = (typeof signupConfirmations)[number]
