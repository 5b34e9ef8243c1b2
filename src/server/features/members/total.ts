import type { SelectQueryBuilder } from 'kysely'

/**
 * Returns the number of rows that a list has without paging. Runs a count query only if this number does not follow
 * from `seen`, the number of rows on the page.
 */
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
