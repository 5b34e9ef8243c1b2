import { useQuery } from '@tanstack/react-query'
import type { AppRight, SpaceRight } from '#shared/permissions.ts'
import { appRoleQuery, spaceRoleQuery } from './queries.ts'

/** May the caller do this in the space? False until it is known. The server decides; this only hides and disables. */
export function useCanInSpace(p: string): (right: SpaceRight) => boolean {
  const { data } = useQuery(spaceRoleQuery(p))
  return (right) => data?.rights.includes(right) ?? false
}

/** May the caller do this in the app? False until it is known, and outside of an app (`a` undefined). */
export function useCanInApp(p: string, a: string | undefined): (right: AppRight) => boolean {
  const { data } = useQuery({ ...appRoleQuery(p, a ?? ''), enabled: a !== undefined })
  return (right) => data?.rights.includes(right) ?? false
}
