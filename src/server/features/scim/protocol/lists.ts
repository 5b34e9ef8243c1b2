import type { SpaceContext } from '#server/access/context.ts'
import type { Message } from '#shared/contract/endpoint.ts'
import { recordListing } from '../scim.service.ts'
import { findGroups } from '../scim-groups.service.ts'
import { findUsers } from '../scim-users.service.ts'
import { type ResourceKind, users } from './attributes.ts'
import { listAnswer, longestPage } from './documents.ts'
import { Effort } from './effort.ts'
import { type Filter, matches, parseFilter, requiredValues } from './filter.ts'
import { type Values, valueUnder } from './patch.ts'
import { isShown, presentGroup, presentUser, project, type Shown } from './resources.ts'
import { refused } from './scim-error.ts'

export type Kind = ResourceKind

export interface Query {
  filter: string | undefined
  /** Index of the first returned resource, counted from 1. */
  startIndex: number
  count: number
  shown: Shown
}

const standardPage = 100

const names = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [])
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
    .slice(0, 100)

const number = (value: unknown, otherwise: number): number => {
  if (value === undefined || value === '') return otherwise
  const read = Number(value)
  if (!Number.isInteger(read)) throw refused('invalidValue', 'startIndex and count are whole numbers')
  return read
}

/** Reads the parameters of a list. Throws 400 `invalidValue` or `invalidFilter`. */
export function readQuery(query: Values): Query {
  const attributes = names(valueUnder(query, 'attributes'))
  const filter = valueUnder(query, 'filter')
  if (filter !== undefined && typeof filter !== 'string')
    throw refused('invalidFilter', 'There is one filter at most')
  return {
    filter: filter || undefined,
    startIndex: Math.max(1, number(valueUnder(query, 'startIndex'), 1)),
    count: Math.min(longestPage, Math.max(0, number(valueUnder(query, 'count'), standardPage))),
    shown: {
      attributes: attributes.length > 0 ? attributes : null,
      excluded: names(valueUnder(query, 'excludedAttributes')),
    },
  }
}

/** Reads the parameters of a list from the body of a `.search` (RFC 7644 §3.4.3). */
export const readSearchBody = (body: Values): Query => readQuery(body)

interface Listing {
  ctx: SpaceContext
  query: Query
  base: string
}

/**
 * Returns a page of resources. PostgreSQL selects resources by the ids and names that the filter requires. If the
 * filter has other conditions, they are evaluated in memory.
 */
export async function findResources({ ctx, query, base }: Listing, kind: Kind): Promise<Message<200>> {
  const filter = query.filter === undefined ? null : parseFilter(query.filter, kind)
  const isExact = filter === null || saysOnly(filter, kind)
  const page = isExact ? { skip: query.startIndex - 1, limit: query.count } : null
  const required = filter ? requiredValues(filter) : new Map<string, string>()
  const common = { id: required.get('id'), externalId: required.get('externalid') }
  const { resources, total } =
    kind === users
      ? await usersAs(ctx, { ...common, userName: required.get('username') }, page, base)
      : await groupsAs(
          ctx,
          { ...common, name: required.get('displayname') },
          page,
          base,
          isShown(query.shown, 'members') || (filter !== null && asksFor(filter, 'members')),
        )
  const found = isExact ? resources : await matching(filter, resources, kind)
  const count = isExact ? total : found.length
  // Directories often look up single users, so only results with several resources are recorded as a listing.
  if (count > 1) await recordListing(ctx, kind === users ? 'users' : 'groups')
  const shown = isExact ? found : found.slice(query.startIndex - 1, query.startIndex - 1 + query.count)
  const body = listAnswer(
    shown.map((each) => project(each, query.shown, kind)),
    count,
    query.startIndex,
  )
  return { status: 200, body }
}

async function matching(filter: Filter, resources: Values[], kind: Kind): Promise<Values[]> {
  const found: Values[] = []
  const effort = new Effort()
  for (const resource of resources) {
    await effort.giveWay()
    if (matches(filter, resource, kind.all, effort)) found.push(resource)
  }
  return found
}

async function usersAs(
  ctx: SpaceContext,
  search: Parameters<typeof findUsers>[1],
  page: Parameters<typeof findUsers>[2],
  base: string,
) {
  const { users: found, total } = await findUsers(ctx, search, page)
  return { resources: found.map((user) => presentUser(user, base)), total }
}

async function groupsAs(
  ctx: SpaceContext,
  search: Parameters<typeof findGroups>[1],
  page: Parameters<typeof findGroups>[2],
  base: string,
  withMembers: boolean,
) {
  const { groups: found, total } = await findGroups(ctx, search, page, withMembers)
  return { resources: found.map((group) => presentGroup(group, base)), total }
}

/** Returns whether the SQL query evaluates the whole filter. */
function saysOnly(filter: Filter, kind: Kind): boolean {
  const asked = ['id', 'externalid', kind === users ? 'username' : 'displayname']
  return (
    filter.kind === 'compare' &&
    filter.operator === 'eq' &&
    typeof filter.value === 'string' &&
    filter.path.length === 1 &&
    asked.includes(filter.path[0]?.toLowerCase() ?? '')
  )
}

function asksFor(filter: Filter, name: string): boolean {
  if ('parts' in filter) return filter.parts.some((part) => asksFor(part, name))
  if ('of' in filter)
    return filter.kind === 'values' && filter.attribute.toLowerCase() === name
      ? true
      : asksFor(filter.of, name)
  return filter.path[0]?.toLowerCase() === name
}
