import { cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Issue } from '#shared/errors.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { FieldFrame } from '../field-frame.tsx'
import { adminFieldType } from '../index.ts'

afterEach(cleanup)

const id = (number: number) => String(number).padStart(24, '0')
const hero = {
  _id: id(90),
  uid: 'hero',
  name: 'ヒーロー',
  description: '',
  fields: [fieldSchema.parse({ _id: id(1), uid: 'title', name: '見出し', type: 'TEXT' })],
}
const block = { uid: 'f', name: '本文', type: 'MULTI_TYPE', types: [{ type: 'CUSTOM', customType: 'hero' }] }

interface HostProps {
  field: Field
  initial: unknown
  readOnly: boolean
  issues: Issue[]
  onChange: (value: unknown) => void
}

function Host({ field, initial, onChange, ...props }: HostProps) {
  const [value, setValue] = useState(initial)
  return (
    <FieldFrame
      {...props}
      look={adminFieldType(field)}
      field={field}
      value={value}
      onChange={(next) => {
        onChange(next)
        setValue(next)
      }}
      onBlur={() => undefined}
      id="field-f"
      place={{ p: 'kawa', a: 'blog' }}
      lookOf={adminFieldType}
    />
  )
}

/** Renders the input and returns an array that collects the changed values. */
async function show(parts: object, initial: unknown, { readOnly = false, issues = [] as Issue[] } = {}) {
  answerRequests(() => ({ body: { customFieldTypes: [hero] } }))
  const changes: unknown[] = []
  const props = { initial, readOnly, issues, onChange: (value: unknown) => changes.push(value) }
  await renderInAdmin(<Host field={fieldSchema.parse({ _id: id(9), ...block, ...parts })} {...props} />)
  return changes
}

const item = { _id: id(5), type: 'hero', data: { title: '春' } }

it('a nested input shows an issue at the inner input of a block, and typing there changes the block', async () => {
  const issues: Issue[] = [{ path: 'data.title', code: 'Required' }]
  const changes = await show({}, item, { issues })
  const title = await screen.findByLabelText('見出し')
  expect(screen.getAllByText('入力してください')).toHaveLength(1)
  expect(title.getAttribute('aria-invalid')).toBe('true')
  expect(title.id).toBe('field-f.data.title')
  fireEvent.change(title, { target: { value: '夏' } })
  fireEvent.change(title, { target: { value: '' } })
  expect(changes).toEqual([
    { ...item, data: { title: '夏' } },
    { _id: id(5), type: 'hero' },
  ])
})

it('a read-only nested input with one block has a read-only inner input and only one button', async () => {
  await show({ multiple: true }, [item], { readOnly: true })
  const title = await screen.findByLabelText<HTMLInputElement>('見出し')
  expect(title.readOnly).toBe(true)
  expect(screen.getAllByRole('button')).toHaveLength(1) // collapses the block
})

it('a nested input shows a value and an item without a definition, and removes such a value on click', async () => {
  const old = { ...item, data: { title: '春', old: 'むかし' } }
  const gone = { _id: id(6), type: 'gone', data: 'x' }
  const changes = await show({ multiple: true }, [old, gone])
  await screen.findByText(/^「old」は、この種類から削除されたフィールドです/)
  expect(screen.getByText('むかし')).toBeTruthy()
  expect(screen.getByText(/「gone」は、このフィールドでは使えなくなりました/)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: '「old」の値を外す' }))
  expect(changes).toEqual([[item, gone]])
})
