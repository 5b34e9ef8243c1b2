import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { IntlProvider } from 'use-intl'
import { activateCatalogue, loadCatalogue, loadEditingTexts, type Messages } from '#admin/i18n/messages.ts'
import { theme } from '#admin/theme/theme.ts'
import type { Language } from '#shared/languages.ts'
import { forgetCsrfToken } from './api.ts'
import { createQueryClient } from './query-client.ts'
import { parseSearch, stringifySearch } from './search-params.ts'

/** For tests: renders inside the providers that components of the admin expect. */
export async function renderInAdmin(children: ReactNode, language: Language = 'ja') {
  await loadEditingTexts()
  const catalogue = await loadCatalogue(language)
  activateCatalogue(catalogue)
  return render(
    <MantineProvider env="test" theme={theme}>
      <IntlProvider locale={language} messages={catalogue.messages as Messages} timeZone="Asia/Tokyo">
        <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
      </IntlProvider>
    </MantineProvider>,
  )
}

/** For tests: renders `component` as the page `href` in a router without other pages. Returns the history. */
export async function renderAsPage(component: () => ReactNode, href = '/') {
  const root = createRootRoute()
  const history = createMemoryHistory({ initialEntries: [href] })
  const routeTree = root.addChildren([createRoute({ getParentRoute: () => root, path: '/', component })])
  const router = createRouter({ routeTree, history, parseSearch, stringifySearch })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />)
  return history
}

export interface SeenRequest {
  method: string
  path: string
  headers: Headers
  body: unknown
}

type Answer = { status?: number; body: unknown } | Error

/**
 * For tests: replaces `fetch`. `answer` is called for every request; an `Error` simulates a failed connection. Returns
 * the requests in order. Deletes the CSRF token.
 */
export function answerRequests(answer: (request: SeenRequest) => Answer): SeenRequest[] {
  const seen: SeenRequest[] = []
  forgetCsrfToken()
  globalThis.fetch = async (input, init) => {
    init?.signal?.throwIfAborted()
    const request: SeenRequest = {
      method: init?.method ?? 'GET',
      path: String(input),
      headers: new Headers(init?.headers),
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    seen.push(request)
    const result = answer(request)
    if (result instanceof Error) throw result
    const { status = 200, body } = result
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  return seen
}
