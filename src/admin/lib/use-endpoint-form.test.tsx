import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  type LinkProps,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import type { Language } from '#shared/languages.ts'
import { ApiError } from './api.ts'
import { answerRequests, renderInAdmin, type SeenRequest } from './testing.tsx'
import { useEndpointForm } from './use-endpoint-form.ts'

const name = 'スペース名'
const done: unknown[] = []

interface FormProps {
  readOnly?: boolean
  withoutSchema?: boolean
}

function Form({ readOnly = false, withoutSchema = false }: FormProps) {
  const form = useEndpointForm('PUT /api/project/{p}', {
    values: { name: '池', uid: 'pond', zone: 'Asia/Tokyo' },
    params: { p: 'pond' },
    toBody: ({ zone, ...project }) => ({ project: { ...project, timeZone: zone } }),
    paths: { name: 'project.name', uid: 'project.uid', zone: 'project.timeZone' },
    codes: { SpaceUidIsAlreadyInUse: 'uid' },
    check: ({ uid }) => ({ uid: uid === 'api' ? 'reserved' : null }),
    issueText: ({ code }, field) => (field === 'zone' && code === 'InvalidValue' ? 'no such zone' : null),
    readOnly,
    withoutSchema,
    failed: (error) => error instanceof ApiError && error.code === 'Forbidden',
    saved: (answer, values) => done.push([answer.project.name, values.uid]),
  })
  const inputs = [
    ['name', name],
    ['uid', 'UID'],
    ['zone', 'zone'],
  ] as const
  return (
    <EndpointForm form={form} guarded>
      {inputs.map(([key, label]) => {
        const { error, ...props } = form.field(key)
        return (
          <p key={key}>
            <input aria-label={label} {...props} />
            <span data-testid={key}>{error}</span>
          </p>
        )
      })}
      <span data-testid="dirty">{String(form.isDirty)}</span>
      <SaveBar form={form} />
    </EndpointForm>
  )
}

type Answer = ReturnType<Parameters<typeof answerRequests>[0]>
const project = {
  uid: 'pond',
  name: '湖',
  plan: 'free',
  timeZone: 'Asia/Tokyo',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

async function show(options: FormProps & { answer?: Answer; language?: Language } = {}) {
  done.length = 0
  const seen = answerRequests(({ method }) =>
    method === 'GET' ? { body: { csrfToken: 'x' } } : (options.answer ?? { body: { project } }),
  )
  const root = createRootRoute({
    component: () => (
      <>
        <Link {...({ to: '/elsewhere' } as object as LinkProps)}>elsewhere</Link>
        <Outlet />
      </>
    ),
  })
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({
        getParentRoute: () => root,
        path: '/',
        component: () => (
          <Form readOnly={options.readOnly ?? false} withoutSchema={options.withoutSchema ?? false} />
        ),
      }),
      createRoute({ getParentRoute: () => root, path: '/elsewhere', component: () => <p>there</p> }),
    ]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />, options.language)
  await screen.findByLabelText(name)
  return seen
}

const text = (id: string) => screen.getByTestId(id).textContent
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
const send = () => fireEvent.submit(document.querySelector('form') as HTMLFormElement)
const sent = (seen: SeenRequest[]) => seen.filter(({ method }) => method === 'PUT')

afterEach(cleanup)

describe('useEndpointForm', () => {
  it('sends one request for three immediate submits, and is not dirty after the response', async () => {
    const seen = await show()
    expect(text('dirty')).toBe('false')
    type(name, '湖')
    expect(text('dirty')).toBe('true')
    send()
    send()
    send()
    await waitFor(() => expect(done).toEqual([['湖', 'pond']]))
    expect(sent(seen).map(({ path, body }) => [path, body])).toEqual([
      ['/api/project/pond', { project: { name: '湖', uid: 'pond', timeZone: 'Asia/Tokyo' } }],
    ])
    await waitFor(() => expect(text('dirty')).toBe('false'))
  })

  it.each([
    ['ja', '入力してください'],
    ['en', 'Required'],
  ] as const)('shows a message at inputs whose values the contract rejects (%s)', async (language, words) => {
    const seen = await show({ language })
    type(name, ' ')
    type('UID', 'a b')
    expect(text('name')).toBe('')
    send()
    await waitFor(() => expect(text('name')).toContain(words))
    expect(text('uid')).not.toBe('')
    expect(document.activeElement).toBe(screen.getByLabelText(name))
    // After the first submit, the form is checked on every change.
    type(name, '湖')
    expect(text('name')).toBe('')
    expect(sent(seen)).toEqual([])
  })

  it('shows the message of `check` and sends nothing', async () => {
    const seen = await show()
    type('UID', 'api')
    send()
    expect(text('uid')).toBe('reserved')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent(seen)).toEqual([])
  })

  it('shows the message of `issueText` for an issue', async () => {
    await show()
    type('zone', 'Moon')
    send()
    await waitFor(() => expect(text('zone')).toBe('no such zone'))
  })

  it('shows a server issue at the input with this path, and an issue without an input in an alert', async () => {
    const issues = [
      { path: 'project.uid', code: 'ReservedWord' },
      { path: 'project.plan', code: 'UnknownField' },
    ]
    await show({ answer: { status: 400, body: { code: 'ValidationFailed', issues } } })
    type(name, '湖')
    send()
    await waitFor(() => expect(text('uid')).toContain('予約'))
    expect(screen.getByRole('alert').textContent).toContain('project.plan')
    expect(document.activeElement).toBe(screen.getByLabelText('UID'))
    expect(text('dirty')).toBe('true')
    expect(done).toEqual([])
  })

  it('shows the message of an error code at the input that `codes` names', async () => {
    await show({ answer: { status: 409, body: { code: 'SpaceUidIsAlreadyInUse' } } })
    send()
    await waitFor(() => expect(text('uid')).toContain('すでに使われています'))
  })

  it('sends a value that the contract rejects if `withoutSchema` is set', async () => {
    const seen = await show({ withoutSchema: true })
    type(name, ' ')
    send()
    await waitFor(() => expect(sent(seen)).toHaveLength(1))
  })

  it('shows no alert for an error that `failed` handles', async () => {
    const seen = await show({ answer: { status: 403, body: { code: 'Forbidden' } } })
    type(name, '湖')
    send()
    await waitFor(() => expect(sent(seen)).toHaveLength(1))
    await waitFor(() => expect(text('dirty')).toBe('false'))
    expect(screen.queryByRole('alert')).toBeNull()
    expect(done).toEqual([])
  })

  it('asks for confirmation before a link leaves a form with unsaved input', async () => {
    await show()
    type(name, '湖')
    fireEvent.click(screen.getByText('elsewhere'))
    expect(await screen.findByRole('dialog', { name: '保存していない変更があります' })).toBeTruthy()
    expect(screen.queryByText('there')).toBeNull()
  })

  it('lets a link leave an unchanged form', async () => {
    await show()
    fireEvent.click(screen.getByText('elsewhere'))
    expect(await screen.findByText('there')).toBeTruthy()
  })

  it('shows a read-only input and sends nothing if `readOnly` is set', async () => {
    const seen = await show({ readOnly: true })
    expect(screen.getByLabelText<HTMLInputElement>(name).readOnly).toBe(true)
    expect(screen.queryByRole('button')).toBeNull()
    send()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent(seen)).toEqual([])
  })

  it.each([
    ['scrolls to a message outside the visible part and focuses it', -3000, true],
    ['keeps the focus in the input if the message is visible', 100, false],
  ])('%s', async (_title, top, isFocused) => {
    await show({ answer: { status: 503, body: { code: 'ServiceUnavailable' } } })
    type(name, '湖')
    screen.getByLabelText(name).focus()
    const rect = vi.spyOn(Element.prototype, 'getBoundingClientRect')
    rect.mockReturnValue(new DOMRect(0, top, 300, 50))
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView')
    send()
    const message = await screen.findByRole('alert')
    expect(document.activeElement).toBe(isFocused ? message : screen.getByLabelText(name))
    expect(scroll.mock.contexts).toEqual(isFocused ? [message] : [])
    vi.restoreAllMocks()
  })

  it('focuses a message that is visible if no input has the focus', async () => {
    await show({ answer: { status: 503, body: { code: 'ServiceUnavailable' } } })
    type(name, '湖')
    screen.getByRole('button').focus()
    send()
    const message = await screen.findByRole('alert')
    expect(document.activeElement).toBe(message)
  })

  it('prevents the default of the Enter that ends a composition', async () => {
    await show()
    const press = (more: object) => fireEvent.keyDown(screen.getByLabelText(name), { key: 'Enter', ...more })
    // `false` means that the default was prevented, so the browser does not submit the form.
    expect(press({ isComposing: true })).toBe(false)
    expect(press({ keyCode: 229 })).toBe(false)
    expect(press({ keyCode: 13 })).toBe(true)
  })
})

it('`Mistakes`, which contains expected type errors, is a function', () => {
  // `Mistakes` is never called. Each line below an @ts-expect-error is a mistake; `npm run typecheck` fails if it
  // compiles.
  expect(Mistakes).toBeTypeOf('function')
})

function Mistakes() {
  const common = { values: { name: '' }, params: { p: 'pond' }, saved: () => undefined }
  useEndpointForm('PUT /api/project/{p}', {
    ...common,
    toBody: (project) => ({ project }),
    // @ts-expect-error: the body has no such path
    paths: { name: 'project.title' },
  })
  useEndpointForm('PUT /api/project/{p}', {
    ...common,
    toBody: (project) => ({ project }),
    // @ts-expect-error: every value needs a path
    paths: {},
  })
  useEndpointForm('PUT /api/project/{p}', {
    ...common,
    // @ts-expect-error: the endpoint has a different body
    toBody: (project) => ({ space: project }),
    paths: { name: 'project.name' },
  })
}
