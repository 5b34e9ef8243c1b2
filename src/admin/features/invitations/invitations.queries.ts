import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** The space, or one of its apps, whose invitations are shown. */
export interface InvitationPlace {
  p: string
  a?: string
}

export const invitationsQuery = ({ p, a }: InvitationPlace) =>
  queryOptions({
    queryKey: a === undefined ? ['space', p, 'invitations'] : ['space', p, 'app', a, 'invitations'],
    queryFn: async ({ signal }) =>
      a === undefined
        ? await api('GET /api/project/{p}/invitation', { params: { p }, signal })
        : {
            ...(await api('GET /api/project/{p}/app/{a}/invitation', { params: { p, a }, signal })),
            // The invitations page of an app has no button to invite, so it needs no data about SSO. It reports no
            // unsent mails.
            ssoIsReady: false,
            ssoDomains: [],
            unsentMails: 0,
          },
  })

export function invitationCalls({ p, a }: InvitationPlace) {
  return a === undefined
    ? {
        renew: async (id: string) =>
          (await api('POST /api/project/{p}/invitation/{id}/resend', { params: { p, id } })).invitation,
        revoke: (id: string) => api('DELETE /api/project/{p}/invitation/{id}', { params: { p, id } }),
      }
    : {
        renew: async (id: string) =>
          (await api('POST /api/project/{p}/app/{a}/invitation/{id}/resend', { params: { p, a, id } }))
            .invitation,
        revoke: (id: string) =>
          api('DELETE /api/project/{p}/app/{a}/invitation/{id}', { params: { p, a, id } }),
      }
}
