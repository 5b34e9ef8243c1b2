import type { MoveRefusal } from '#shared/contract/moves.ts'

/** Maximum number of items that a refusal lists. */
export const mostItems = 100

/** Returns a refusal that lists the first `mostItems` of `count` invalid items. */
export const refusalOf = (
  code: MoveRefusal['code'],
  items: MoveRefusal['items'] = [],
  count = items.length,
): MoveRefusal => ({ code, items: items.slice(0, mostItems), count })
