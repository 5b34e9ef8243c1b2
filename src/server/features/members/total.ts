import type { SelectQueryBuilder } from 'kysely'

/** How many rows a list has without its page: counted only where a page of `seen` rows does not tell. */
export async function totalOf<DB, TB extends keyof DB, O>(
  found: SelectQueryBuilder<DB, TB, O>,
  seen: number,
  { skip, limit }: { skip: number; limit: number },
): Promise<number> {
  if (seen < limit && (seen > 0 || skip === 0)) return skip + seen
  const { total } = await found
    .clearSelect()
    .select((select) => select.fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow()
  return total
}
