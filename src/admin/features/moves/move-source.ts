import type { Move } from '#shared/contract/moves.ts'

type Source = NonNullable<Move['source']>

/**
 * Returns whether the source is an app of a space, shown with the names of both. Other exports are named by their file.
 */
export const isOfSpace = ({ kind }: Source): boolean => kind === 'newt' || kind === 'imori'
