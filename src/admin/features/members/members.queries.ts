import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Member } from '#shared/contract/members.ts'

/** The space, or one of its apps, whose members are shown. */
export interface PeoplePlace {
  p: string
  a?: string
}

export const pageSize = 50

interface Wanted {
  search: string
  role: string | null
  /** The page, counted from 1. */
  page: number
}

/**
 * Loads one page of a list of members. The query key starts with {@link membersKey}, so that invalidating that key also
 * invalidates every page.
 */
export const memberPageQuery = ({ p, a }: PeoplePlace, { search, role, page }: Wanted) =>
  queryOptions({
    queryKey: [...membersKey({ p, ...(a === undefined ? {} : { a }) }), 'page', search, role, page] as const,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = {
        ...(search ? { search } : {}),
        ...(role ? { role } : {}),
        skip: (page - 1) * pageSize,
        limit: pageSize,
      }
      const answer =
        a === undefined
          ? await api('GET /api/project/{p}/members', { params: { p }, query, signal })
          : await api('GET /api/project/{p}/app/{a}/members', { params: { p, a }, query, signal })
      return { members: answer.members as Member[], total: answer.total }
    },
  })

/** Loads one page of members who left an app of their own accord. `page` counts from 1. */
export const leftMembersQuery = (p: string, a: string, page: number) =>
  queryOptions({
    queryKey: [...membersKey({ p, a }), 'left', page] as const,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/app/{a}/leftMembers', {
        params: { p, a },
        query: { skip: (page - 1) * pageSize, limit: pageSize },
        signal,
      }),
  })

export const membersKey = ({ p, a }: PeoplePlace) =>
  a === undefined ? (['space', p, 'members'] as const) : (['space', p, 'app', a, 'members'] as const)

/** Loads a member's rights, and the roles that grant them. */
export const memberRightsQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'rights', id],
    queryFn: ({ signal }) => api('GET /api/project/{p}/member/{id}/rights', { params: { p, id }, signal }),
  })

/** Loads a member's identities at the identity provider and in the directory of the space. */
export const memberIdentitiesQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'identity', id],
    queryFn: ({ signal }) => api('GET /api/project/{p}/member/{id}/identity', { params: { p, id }, signal }),
  })

/** Loads whether a member has a second factor. */
export const memberFactorQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'secondFactor', id],
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/member/{id}/secondFactor', { params: { p, id }, signal }),
  })

/** Returns functions that change or end a membership by requests to the server. */
export function memberCalls({ p, a }: PeoplePlace) {
  return a === undefined
    ? {
        changeRole: (id: string, roleId: string) =>
          api('PUT /api/project/{p}/member/{id}', { params: { p, id }, body: { roleId } }),
        remove: (id: string) => api('DELETE /api/project/{p}/member/{id}', { params: { p, id } }),
        leave: () => api('POST /api/project/{p}/members/leave', { params: { p } }),
      }
    : {
        changeRole: (id: string, roleId: string) =>
          api('PATCH /api/project/{p}/app/{a}/member/{id}', { params: { p, a, id }, body: { roleId } }),
        remove: (id: string) => api('DELETE /api/project/{p}/app/{a}/member/{id}', { params: { p, a, id } }),
        leave: () => api('POST /api/project/{p}/app/{a}/members/leave', { params: { p, a } }),
      }
}
