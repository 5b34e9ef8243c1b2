import { useQuery } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin, type SeenRequest } from '#admin/lib/testing.tsx'
import { ModalHost } from '#admin/ui/modal-host.tsx'
import { ssoQuery } from './sso.queries.ts'
import { SsoSettings } from './sso-page.tsx'

// Text areas listen to the loading of fonts. happy-dom does not implement fonts.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })

afterEach(cleanup)

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })

const ours = {
  entityId: 'https://cms.example/e',
  acsUrl: 'https://cms.example/a',
  redirectUri: 'https://cms.example/r',
}
const certificate = (at: number) => ({
  fingerprint: `AA:0${at}`,
  subject: `CN=${at}`,
  beginsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2099-01-01T00:00:00.000Z',
})
const connection = {
  _id: 'a'.repeat(24),
  kind: 'saml',
  domains: [],
  groupsName: 'groups',
  provisions: true,
  saml: {
    entityId: 'https://idp.example/saml',
    signInUrl: 'https://idp.example/in',
    certificates: [certificate(1)],
    idpInitiated: false,
    groupsName: 'groups',
    isComplete: true,
  },
  oidc: {
    issuer: 'https://idp.example',
    clientId: 'imori',
    hasSecret: true,
    scopes: [],
    groupsName: 'groups',
    isComplete: true,
  },
  isComplete: true,
  ours,
  version: 4,
}
type Connection = typeof connection
type Answer = ReturnType<Parameters<typeof answerRequests>[0]>

function Page() {
  const { data } = useQuery(ssoQuery('pond'))
  return data ? <SsoSettings p="pond" {...data} /> : null
}

/** Renders the page with a server that stores the connection. `put` returns the response to a save. */
async function show(put: (body: { data: Record<string, unknown> }, sso: Connection) => Answer) {
  let sso = connection
  const seen = answerRequests(({ method, path, body }) => {
    if (path === '/api/auth/csrfToken') return { body: { csrfToken: 'token' } }
    if (path.endsWith('/sso/refusal')) return { body: { refusals: [] } }
    if (path.endsWith('/sso/certificate')) {
      const certificates = [certificate(1), certificate(2)]
      sso = { ...sso, version: sso.version + 1, saml: { ...sso.saml, certificates } }
      return { body: { certificates } }
    }
    if (method !== 'PUT') return { body: { sso, ours } }
    const answer = put(body as { data: Record<string, unknown> }, sso)
    if (!(answer instanceof Error) && answer.status === undefined)
      sso = (answer.body as { sso: Connection }).sso
    return answer
  })
  await renderInAdmin(
    <RouterContextProvider router={router as never}>
      <Page />
      <ModalHost />
    </RouterContextProvider>,
  )
  await screen.findByLabelText('ログインURL（SSO URL）')
  return seen
}

const labels = {
  signInUrl: 'ログインURL（SSO URL）',
  issuer: '発行者（Issuer）のURL',
  clientId: 'クライアントID',
}
const input = (name: keyof typeof labels) => screen.getByLabelText<HTMLInputElement>(labels[name])
const type = (name: keyof typeof labels, value: string) =>
  fireEvent.change(input(name), { target: { value } })
const choose = (protocol: string) => fireEvent.click(screen.getByRole('radio', { name: protocol }))
const save = () => fireEvent.click(screen.getByRole('button', { name: '保存する' }))
const sent = (seen: SeenRequest[]) =>
  seen.flatMap(({ method, body }) =>
    method === 'PUT' ? [(body as { data: Record<string, unknown> }).data] : [],
  )

it('the SSO page keeps unsaved input when a certificate is added or the protocol is switched', async () => {
  const seen = await show(({ data }, sso) => {
    const saved = { ...sso, kind: String(data.kind), version: sso.version + 1 }
    return { body: { sso: data.saml ? { ...saved, saml: { ...sso.saml, ...data.saml } } : saved } }
  })
  type('signInUrl', 'https://idp.example/other')
  fireEvent.change(screen.getByRole('textbox', { name: '次の証明書' }), { target: { value: 'PEM' } })
  fireEvent.click(screen.getByRole('button', { name: '証明書を追加' }))
  await screen.findByText('CN=2')
  expect(input('signInUrl').value).toBe('https://idp.example/other')

  fireEvent.click(screen.getByRole('button', { name: 'OpenID Connectに切り替える' }))
  await screen.findByText(/これからは、OpenID Connectでログインします/)
  const buttons = screen.getAllByRole('button', { name: 'OpenID Connectに切り替える', hidden: true })
  fireEvent.click(buttons.at(-1) as HTMLElement)
  await screen.findByRole('button', { name: 'SAML 2.0に切り替える', hidden: true })
  choose('SAML 2.0')
  expect(input('signInUrl').value).toBe('https://idp.example/other')

  // The save is based on the version after both changes.
  save()
  await waitFor(() => expect(sent(seen)).toHaveLength(2))
  expect(sent(seen)).toMatchObject([
    { kind: 'oidc', version: 5 },
    { kind: 'oidc', version: 6, saml: { signInUrl: 'https://idp.example/other' } },
  ])
})

it('the SSO page shows the hidden protocol after a save that finds issues only there, not during typing', async () => {
  const issues = ['saml.signInUrl', 'oidc.issuer'].map((path) => ({
    path: `data.${path}`,
    code: 'InvalidFormat',
  }))
  let wrong = issues
  await show(() => ({ status: 400, body: { code: 'ValidationFailed', issues: wrong } }))
  choose('OpenID Connect')
  type('issuer', 'x')
  save()
  await waitFor(() => expect(input('issuer').getAttribute('aria-invalid')).toBe('true'))
  // The issue of the shown protocol is corrected; the hidden protocol still has one.
  type('issuer', 'https://idp.example')
  expect(input('issuer').value).toBe('https://idp.example')
  wrong = issues.slice(0, 1)
  save()
  await waitFor(() => expect(input('signInUrl').getAttribute('aria-invalid')).toBe('true'))
  expect(document.activeElement).toBe(input('signInUrl'))
  // The user can return to the other protocol and stays there.
  choose('OpenID Connect')
  type('clientId', 'other')
  expect(input('clientId').value).toBe('other')
})
