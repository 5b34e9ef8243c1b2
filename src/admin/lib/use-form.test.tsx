import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from './api.ts'
import { renderInAdmin } from './testing.tsx'
import { useForm } from './use-form.ts'

function Form({ submit }: { submit: (values: { name: string; uid: string }) => Promise<void> }) {
  const { field, problem, formProps } = useForm({
    values: { name: '', uid: 'acme' },
    codes: { SpaceUidIsAlreadyInUse: 'uid' },
    check: ({ name }) => ({ name: name ? null : 'missing' }),
    submit,
  })
  const { error: nameError, ...name } = field('name')
  const { error: uidError, ...uid } = field('uid')
  return (
    <form {...formProps} aria-label="form">
      <input aria-label="name" {...name} />
      <p data-testid="name">{nameError}</p>
      <input aria-label="uid" {...uid} />
      <p data-testid="uid">{uidError}</p>
      <p data-testid="problem">{problem}</p>
    </form>
  )
}

const text = (id: string) => screen.getByTestId(id).textContent
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
const send = () => fireEvent.submit(screen.getByRole('form'))

afterEach(cleanup)

describe('useForm', () => {
  it('validates on submit, and then with every change until a submit succeeds', async () => {
    const submit = vi.fn(async () => undefined)
    await renderInAdmin(<Form submit={submit} />)
    expect(text('name')).toBe('')
    send()
    expect(text('name')).toBe('missing')
    expect(document.activeElement).toBe(screen.getByLabelText('name'))
    type('name', 'A')
    expect(text('name')).toBe('')
    send()
    await waitFor(() => expect(submit).toHaveBeenCalledWith({ name: 'A', uid: 'acme' }))
    expect(submit).toHaveBeenCalledTimes(1)
    // After a successful submit, the next entry is not checked before it is sent.
    type('name', '')
    expect(text('name')).toBe('')
    send()
    expect(text('name')).toBe('missing')
  })

  it('shows server issues at the inputs that they name, and returns an issue without an input as `problem`', async () => {
    const issues = [
      { path: 'project.uid', code: 'ReservedWord' as const },
      { path: 'project.name', code: 'TooManyCharacters' as const, params: { maximum: 100 } },
      { path: 'project.color', code: 'UnknownField' as const },
    ]
    await renderInAdmin(
      <Form
        submit={async () => {
          throw new ApiError(400, { code: 'ValidationFailed', issues })
        }}
      />,
    )
    type('name', 'A')
    send()
    await waitFor(() => expect(text('uid')).toContain('予約'))
    expect(text('name')).toContain('100文字以内')
    expect(text('problem')).toContain('project.color')
    type('uid', 'acme2')
    expect(text('uid')).toBe('')
  })

  it('shows the message of an error code at the input in `codes`, and returns another error as `problem`', async () => {
    const errors = [
      new ApiError(409, { code: 'SpaceUidIsAlreadyInUse' }),
      new ApiError(503, { code: 'ServiceUnavailable' }),
    ]
    await renderInAdmin(
      <Form
        submit={async () => {
          throw errors.shift()
        }}
      />,
    )
    type('name', 'A')
    send()
    await waitFor(() => expect(text('uid')).toContain('すでに使われています'))
    expect(text('problem')).toBe('')
    send()
    await waitFor(() => expect(text('problem')).toContain('一時的に利用できません'))
    expect(text('uid')).toBe('')
  })
})
