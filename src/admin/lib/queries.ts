import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

/**
 * The queries that more than one feature uses. Keys are nested like the resources (`['space', p, 'app', a, …]`), so
 * invalidating `['space', p]` refreshes all data of a space.
 */

/** The caller's spaces (`projects`), and whether the caller may create spaces. */
export const spacesQuery = () =>
  queryOptions({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => api('GET /api/project', { signal }),
  })

export const spaceQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}', { params: { p }, signal })).project,
  })

/**
 * The caller's role in the space. `rights`: the rights on the space. `held`: these rights and the app rights that the
 * role grants in every app.
 */
export const spaceRoleQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'currentRole'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/currentRole', { params: { p }, signal })).currentRole,
  })

export const rolesQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'roles'],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/role', { params: { p }, signal })).roles,
  })

export const appRolesQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'roles'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/role', { params: { p, a }, signal })).roles,
  })

export const appsQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'apps'],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/app', { params: { p }, signal })).apps,
  })

export const appQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}', { params: { p, a }, signal })).app,
  })

/**
 * The caller's role in the app (`uid` null: not a member), and the caller's rights there, including rights from the
 * role in the space.
 */
export const appRoleQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'currentRole'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/currentRole', { params: { p, a }, signal })).currentRole,
  })

export const modelsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'models'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/model', { params: { p, a }, signal })).models,
  })

export const customTypesQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'customTypes'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/customFieldType', { params: { p, a }, signal }))
        .customFieldTypes,
  })

export const modelQuery = (p: string, a: string, m: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'model', m],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/model/{m}', { params: { p, a, m }, signal })).model,
    // Polls while the documents are being converted, to show the progress.
    refetchInterval: ({ state: { data } }) =>
      data?.conversion && data.conversion.state !== 'stopped' ? 2_000 : false,
  })

/** Returns the key prefix of all queries about the webhooks of a space. */
export const webhooksKey = (p: string) => ['space', p, 'webhooks'] as const

export const webhooksQuery = (p: string) =>
  queryOptions({
    queryKey: [...webhooksKey(p), 'list'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/webhook', { params: { p }, signal })).webhooks,
  })

/** Returns the key prefix of all queries about the forms of a space and their submissions. */
export const formsKey = (p: string) => ['space', p, 'forms'] as const

/** The forms of a space, by name, without the forms in the trash. */
export const formsQuery = (p: string) =>
  queryOptions({
    queryKey: [...formsKey(p), 'list'],
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/form', { params: { p }, signal })).forms,
  })
