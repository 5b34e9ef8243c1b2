/** Who may create an account: invited people, everybody, or nobody. */
export const signupModes = ['invited', 'open', 'closed'] as const
export type SignupMode = (typeof signupModes)[number]

/** Who may create spaces: admins of the installation, or everyone with an account. */
export const spaceCreations = ['admins', 'everyone'] as const
export type SpaceCreation = (typeof spaceCreations)[number]

/**
 * When the address of a new account is confirmed. `after`: the account is created at once, and an address in use is
 * refused. `before`: the response is the same for every address, and the account is created by a mailed link.
 */
export const signupConfirmations = ['after', 'before'] as const
export type SignupConfirmation = (typeof signupConfirmations)[number]
