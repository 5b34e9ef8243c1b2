import type { Move } from '#shared/contract/moves.ts'

type Source = NonNullable<Move['source']>

/** What comes from an app of a space has the names of both; an export is called as its file is. */
export const isOfSpace = ({ kind }: Source): boolean => kind === 'newt' || kind === 'imori'
