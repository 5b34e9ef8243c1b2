import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { spaceQuery } from '#admin/lib/queries.ts'
import type { Space } from '#shared/contract/spaces.ts'

/**
 * Returns the space of the URL once its route has loaded it. undefined on other pages, and for a space that does not
 * exist.
 */
export function useOpenSpace(): Space | undefined {
  const { p } = useParams({ strict: false })
  return useQuery({ ...spaceQuery(p ?? ''), enabled: false }).data
}
