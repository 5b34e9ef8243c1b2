/** The parameters of a list request. */
export type Query = Record<string, string | number>
