import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/*
 * SCIM 2.0 (RFC 7643, RFC 7644) for the directory of an organization. Bodies are read and checked as the protocol
 * defines (docs/decisions/0052), so they have no schema here.
 */

const mediaType = 'application/scim+json'

/** The properties of every endpoint of the protocol. The caller has the SCIM token of the space. */
const byDirectory = {
  permission: 'member.manage',
  caller: 'directory',
  rate: { address: 1200 },
} as const
const withBody = {
  body: { kind: 'jsonObject', types: [mediaType, 'application/json'] },
  maximumBytes: 1024 * 1024,
} as const
const audited = { none: 'the use case writes an entry for each membership or group that changes' }
const oneEffect = { none: 'names are unique, and a repeated change has no effect' }

const answering = <const S extends readonly [number, ...number[]]>(...statuses: S) =>
  ({ kind: 'message', type: mediaType, statuses }) as const

/** The versions of a resource that a request is about (RFC 7644 §3.14). */
const versions = z.object({ 'if-match': z.string().optional(), 'if-none-match': z.string().optional() })

/** The query of a response with resources. Names are in any case, so the protocol reads them itself. */
const shown = z.looseObject({
  attributes: z.unknown().optional(),
  excludedAttributes: z.unknown().optional(),
})
const listed = shown.extend({
  filter: z.unknown().optional(),
  startIndex: z.unknown().optional(),
  count: z.unknown().optional(),
})

export const scimDirectoryEndpoints = {
  listScimUsers: endpoint('GET /scim/v2/{p}/Users', {
    summary: 'List users',
    description: 'At most 200 with each response. `filter` is an expression of RFC 7644 §3.4.2.2.',
    ...byDirectory,
    query: listed,
    response: answering(200),
  }),
  searchScimUsers: endpoint('POST /scim/v2/{p}/Users/.search', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'the use case records that users are listed' },
    summary: 'List users by a filter in the body',
    ...byDirectory,
    ...withBody,
    response: answering(200),
  }),
  createScimUser: endpoint('POST /scim/v2/{p}/Users', {
    idempotent: oneEffect,
    audit: audited,
    summary: 'Create a user, who becomes a member if active',
    description: '409 `uniqueness` for a `userName` that is in use.',
    ...byDirectory,
    ...withBody,
    query: shown,
    response: answering(201),
  }),
  getScimUser: endpoint('GET /scim/v2/{p}/Users/{id}', {
    summary: 'Get a user',
    ...byDirectory,
    query: shown,
    headers: versions,
    response: answering(200, 304),
  }),
  replaceScimUser: endpoint('PUT /scim/v2/{p}/Users/{id}', {
    audit: audited,
    summary: 'Replace the attributes of a user',
    ...byDirectory,
    ...withBody,
    query: shown,
    headers: versions,
    response: answering(200),
  }),
  patchScimUser: endpoint('PATCH /scim/v2/{p}/Users/{id}', {
    audit: audited,
    summary: 'Change attributes of a user',
    ...byDirectory,
    ...withBody,
    query: shown,
    headers: versions,
    response: answering(200),
  }),
  deleteScimUser: endpoint('DELETE /scim/v2/{p}/Users/{id}', {
    audit: audited,
    summary: 'Delete a user and end the membership',
    ...byDirectory,
    headers: versions,
    response: answering(204),
  }),
  listScimGroups: endpoint('GET /scim/v2/{p}/Groups', {
    summary: 'List groups',
    description: 'At most 200 with each response. `filter` is an expression of RFC 7644 §3.4.2.2.',
    ...byDirectory,
    query: listed,
    response: answering(200),
  }),
  searchScimGroups: endpoint('POST /scim/v2/{p}/Groups/.search', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'the use case records that groups are listed' },
    summary: 'List groups by a filter in the body',
    ...byDirectory,
    ...withBody,
    response: answering(200),
  }),
  createScimGroup: endpoint('POST /scim/v2/{p}/Groups', {
    idempotent: oneEffect,
    audit: audited,
    summary: 'Create a group',
    description: '409 `uniqueness` for a `displayName` that is in use.',
    ...byDirectory,
    ...withBody,
    query: shown,
    response: answering(201),
  }),
  getScimGroup: endpoint('GET /scim/v2/{p}/Groups/{id}', {
    summary: 'Get a group',
    ...byDirectory,
    query: shown,
    headers: versions,
    response: answering(200, 304),
  }),
  replaceScimGroup: endpoint('PUT /scim/v2/{p}/Groups/{id}', {
    audit: audited,
    summary: 'Replace the name and the members of a group',
    ...byDirectory,
    ...withBody,
    query: shown,
    headers: versions,
    response: answering(200),
  }),
  patchScimGroup: endpoint('PATCH /scim/v2/{p}/Groups/{id}', {
    audit: audited,
    summary: 'Change the name or members of a group',
    ...byDirectory,
    ...withBody,
    query: shown,
    headers: versions,
    response: answering(200),
  }),
  deleteScimGroup: endpoint('DELETE /scim/v2/{p}/Groups/{id}', {
    audit: audited,
    summary: 'Delete a group',
    ...byDirectory,
    headers: versions,
    response: answering(204),
  }),
  getScimConfig: endpoint('GET /scim/v2/{p}/ServiceProviderConfig', {
    summary: 'Get the supported parts of the protocol',
    ...byDirectory,
    response: answering(200),
  }),
  listScimResourceTypes: endpoint('GET /scim/v2/{p}/ResourceTypes', {
    summary: 'List the types of resources',
    ...byDirectory,
    response: answering(200),
  }),
  getScimResourceType: endpoint('GET /scim/v2/{p}/ResourceTypes/{id}', {
    summary: 'Get a type of resources',
    ...byDirectory,
    response: answering(200),
  }),
  listScimSchemas: endpoint('GET /scim/v2/{p}/Schemas', {
    summary: 'List the schemas of resources',
    ...byDirectory,
    response: answering(200),
  }),
  getScimSchema: endpoint('GET /scim/v2/{p}/Schemas/{id}', {
    summary: 'Get a schema of resources',
    ...byDirectory,
    response: answering(200),
  }),
}
