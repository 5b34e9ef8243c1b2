import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '#shared/contract/endpoint.ts'
import type { EndpointByRoute } from '#shared/contract/index.ts'
import type { AppRight, Right } from '#shared/permissions.ts'
import { appRoleQuery, spaceRoleQuery } from './queries.ts'

/**
 * Returns whether the caller's role in the space grants the right. An app right counts if the role grants it in every
 * app. False until the role is loaded. The server enforces rights; this hook only serves to hide and disable controls.
 */
export function useCanInSpace(p: string): (right: Right) => boolean {
  const { data } = useQuery(spaceRoleQuery(p))
  return (right) => data?.held.includes(right) ?? false
}

/**
 * Returns whether the caller has the right on documents of the model (by its `_id`). False until the role is loaded,
 * and if `model` is undefined.
 */
export function useCanInModel(p: string, a: string, model: string | undefined): (right: AppRight) => boolean {
  const { data } = useQuery(appRoleQuery(p, a))
  return (right) => data !== undefined && model !== undefined && rightsIn(data, model).includes(right)
}

/** Returns the rights of the caller in one model of the app. */
export const rightsIn = (role: AppRoleOfCaller, model: string): readonly AppRight[] =>
  (role.models[model] ?? { rights: role.elsewhere }).rights
type AppRoleOfCaller = ResponseOf<EndpointByRoute['GET /api/project/{p}/app/{a}/currentRole']>['currentRole']

/**
 * Returns whether the caller has the right in the app. False until the role is loaded, and outside of an app (`a`
 * undefined).
 */
export function useCanInApp(p: string, a: string | undefined): (right: AppRight) => boolean {
  const { data } = useQuery({ ...appRoleQuery(p, a ?? ''), enabled: a !== undefined })
  return (right) => data?.rights.includes(right) ?? false
}
