import { type Attribute, groups, type ResourceKind, users } from './attributes.ts'

/* The discovery documents of the service (RFC 7643 §5 to §7). */

const core = 'urn:ietf:params:scim:schemas:core:2.0'
export const listMessage = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Maximum number of resources per response. */
export const longestPage = 200

export const serviceProviderConfig = (base: string) => ({
  schemas: [`${core}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: longestPage },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token from the security page of the space, in the header Authorization.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const kinds = [users, groups]

export const resourceTypes = (base: string) =>
  kinds.map(({ name, endpoint, description, schema }) => ({
    schemas: [`${core}:ResourceType`],
    id: name,
    name,
    endpoint,
    description,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))

export const schemas = (base: string) =>
  kinds.map(({ name, description, schema, own }: ResourceKind) => ({
    schemas: [`${core}:Schema`],
    id: schema,
    name,
    description,
    attributes: own.map(describe),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema}` },
  }))

function describe(attribute: Attribute): object {
  const { name, type, multi, description, required, caseExact, mutability, uniqueness, sub } = attribute
  return {
    name,
    type,
    multiValued: multi === true,
    description,
    required: required === true,
    ...(type === 'string' ? { caseExact: caseExact === true } : {}),
    ...(type === 'reference' ? { referenceTypes: ['User', 'Group'] } : {}),
    mutability: mutability ?? 'readWrite',
    returned: 'default',
    uniqueness: uniqueness ?? 'none',
    ...(sub ? { subAttributes: sub.map(describe) } : {}),
  }
}

/** Creates a list response of RFC 7644 §3.4.2. `start` counts from 1. */
export const listAnswer = (resources: object[], total = resources.length, start = 1) => ({
  schemas: [listMessage],
  totalResults: total,
  startIndex: start,
  itemsPerPage: resources.length,
  Resources: resources,
})
