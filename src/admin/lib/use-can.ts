import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '#shared/contract/endpoint.ts'
import type { EndpointByRoute } from '#shared/contract/index.ts'
import type { AppRight, Right } from '#shared/permissions.ts'
import { appRoleQuery, spaceRoleQuery } from './queries.ts'

/**
 * Whether the caller has the right in the space, or in every app of it. False until it is known. The server enforces
 * rights; this only hides and disables controls.
 */
export function useCanInSpace(p: string): (right: Right) => boolean {
  const { data } = useQuery(spaceRoleQuery(p))
  return (right) => data?.held.includes(right) ?? false
}

/** Whether the caller has the right on documents of the model (by its `_id`). False until it is known. */
export function useCanInModel(p: string, a: string, model: string | undefined): (right: AppRight) => boolean {
  const { data } = useQuery(appRoleQuery(p, a))
  return (right) => data !== undefined && model !== undefined && rightsIn(data, model).includes(right)
}

/** The rights that the caller's role in the app grants in one of its models. */
export const rightsIn = (role: AppRoleOfCaller, model: string): readonly AppRight[] =>
  (role.models[model] ?? { rights: role.elsewhere }).rights
type AppRoleOfCaller = ResponseOf<EndpointByRoute['GET /api/project/{p}/app/{a}/currentRole']>['currentRole']

/** Whether the caller has the right in the app. False until it is known, and outside of an app (`a` undefined). */
export function useCanInApp(p: string, a: string | undefined): (right: AppRight) => boolean {
  const { data } = useQuery({ ...appRoleQuery(p, a ?? ''), enabled: a !== undefined })
  return (right) => data?.rights.includes(right) ?? false
}
