import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { type Connected, connectedChannel, readConnected } from './sign-in.ts'
import { ProtocolTest } from './sign-in-test.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const refusal = { at: '2026-11-01T00:00:00.000Z', reason: 'audience', detail: null, email: null, ip: null }

/** Sends the message of `/connected` about a refused test sign-in. */
function report(testId: string): void {
  const channel = new BroadcastChannel(connectedChannel)
  const message: Connected = readConnected(`?success=false&error-code=SsoRefused&trial=${testId}`)
  channel.postMessage(message)
  channel.close()
}

it('ProtocolTest shows the refusal of its own test sign-in if two tests run at the same time', async () => {
  const opened: string[] = []
  const assigned: string[] = []
  vi.spyOn(window, 'open').mockImplementation((_, target) => {
    opened.push(String(target))
    return { closed: false, location: { assign: (url: string) => assigned.push(url) } } as never
  })
  answerRequests(({ path }) => {
    if (path === '/api/auth/csrfToken') return { body: { csrfToken: 'token' } }
    if (path.endsWith('/sso/refusal')) return { body: { refusals: [refusal] } }
    const testId = path.includes('kind=saml') ? 'test-of-saml' : 'test-of-oidc'
    return { body: { url: 'https://idp.example.com/', testId } }
  })
  await renderInAdmin(
    <>
      <section aria-label="saml">
        <ProtocolTest p="pond" kind="saml" isComplete />
      </section>
      <section aria-label="oidc">
        <ProtocolTest p="pond" kind="oidc" isComplete />
      </section>
    </>,
  )
  const [saml, oidc] = ['saml', 'oidc'].map((name) => within(screen.getByRole('region', { name })))
  const tryOut = (part = saml) => part?.getByRole('button', { name: 'ログインを試す' }) as HTMLButtonElement
  for (const part of [saml, oidc]) fireEvent.click(tryOut(part))
  // Each test opens a separate window.
  expect(opened).toEqual(['_blank', '_blank'])
  await waitFor(() => expect(assigned).toHaveLength(2))
  report('test-of-oidc')
  expect((await oidc?.findByRole('alert'))?.textContent).toContain('宛先（Audience）')
  expect(saml?.queryByRole('alert')).toBeNull()
  expect(tryOut(saml).disabled).toBe(true)
  report('test-of-saml')
  await waitFor(() => expect(saml?.queryByRole('alert')).not.toBeNull())
})
