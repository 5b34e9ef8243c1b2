import type { Move } from '#shared/contract/moves.ts'

type Source = NonNullable<Move['source']>

/** Whether the source is an app of a space, with the names of both; other exports are named by their file. */
export const isOfSpace = ({ kind }: Source): boolean => kind === 'newt' || kind === 'imori'
