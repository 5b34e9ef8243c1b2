import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Member } from '#shared/contract/members.ts'

/** Whose members: the space's, or those of one of its apps. */
export interface PeoplePlace {
  p: string
  a?: string
}

export const pageSize = 50

interface Wanted {
  search: string
  role: string | null
  /** Counted from 1. */
  page: number
}

/** One page of a list of members. Its key lies below that of all members, so that what refreshes these refreshes it. */
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

export const membersKey = ({ p, a }: PeoplePlace) =>
  a === undefined ? (['space', p, 'members'] as const) : (['space', p, 'app', a, 'members'] as const)

/** What a member may do, and why. */
export const memberRightsQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'rights', id],
    queryFn: ({ signal }) => api('GET /api/project/{p}/member/{id}/rights', { params: { p, id }, signal }),
  })

/** Who a member is to the identity provider and the directory of the space. */
export const memberIdentitiesQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'identity', id],
    queryFn: ({ signal }) => api('GET /api/project/{p}/member/{id}/identity', { params: { p, id }, signal }),
  })

/** Whether a member has a second factor. */
export const memberFactorQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'members', 'secondFactor', id],
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/member/{id}/secondFactor', { params: { p, id }, signal }),
  })

/** The calls that change the membership of somebody. */
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
