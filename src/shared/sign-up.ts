/** Who may make an account: who has an invitation, everybody, or nobody. */
export const signupModes = ['invited', 'open', 'closed'] as const
export type SignupMode = (typeof signupModes)[number]
