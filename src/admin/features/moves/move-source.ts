import type { Move } from '#shared/contract/moves.ts'

type Source = NonNullable<Move['source']>

/** Returns whether the source is an app in a space of Newt or Imori. */
export const isOfSpace = ({ kind }: Source): boolean => kind === 'newt' || kind === 'imori'
