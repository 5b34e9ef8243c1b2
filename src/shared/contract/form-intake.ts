import { endpoint } from './endpoint.ts'

/** The endpoints that visitors of sites call, at the addresses of forms (delivery/site.ts). */
export const formIntakeEndpoints = {
  submitForm: endpoint('POST /api/forms/{p}/{f}', {
    idempotent: { none: 'each call is one submission' },
    audit: { none: 'visitors are not members; the inbox of the form lists its submissions' },
    summary: 'Send a form',
    permission: 'public',
    caller: 'visitor',
    cors: 'listed',
    rate: { address: 60 },
    body: { kind: 'stream', types: ['*'] },
    response: { kind: 'message', type: 'application/json', statuses: [200, 303] },
  }),
}
