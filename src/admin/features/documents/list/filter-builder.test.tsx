import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { type FieldInput, fieldSchema } from '#shared/fields/index.ts'
import { testModel, testPlace } from '../editor/test-model.ts'
import { FilterBuilder } from './filter-builder.tsx'
import type { Filter } from './list-search.ts'

const settings: (Pick<FieldInput, 'type'> & { uid: string; options?: object[] })[] = [
  { uid: 'title', type: 'TEXT' },
  { uid: 'price', type: 'NUMBER' },
  { uid: 'day', type: 'DATE' },
  { uid: 'done', type: 'CHECKBOX' },
  { uid: 'kind', type: 'SELECT', options: [{ value: 'diary', label: '日記' }] },
  { uid: 'theme', type: 'COLOR' },
]
const fields = settings.map((field, index) =>
  fieldSchema.parse({ _id: index.toString(16).padStart(24, '0'), name: field.uid, ...field }),
)
const onChange = vi.fn()

beforeEach(() => onChange.mockClear())
afterEach(cleanup)

const open = (filter: Filter) =>
  renderInAdmin(
    <FilterBuilder
      model={{ ...testModel, fields }}
      place={testPlace}
      filters={[filter]}
      onChange={onChange}
    />,
  )

it.each([
  ['title', '池 ', '池'],
  ['price', '１２．５', '12.5'],
  ['theme', '#F80', '#ff8800'],
])(
  'for the field %s, FilterBuilder turns the input %j into the filter value %j',
  async (field, typed, asked) => {
    await open({ field, op: 'eq', value: '' })
    fireEvent.change(await screen.findByRole('textbox', { name: '値' }), { target: { value: typed } })
    await waitFor(() => expect(onChange).toHaveBeenLastCalledWith([{ field, op: 'eq', value: asked }]))
  },
)

it.each(['price', 'theme'])(
  'FilterBuilder does not apply a text that is not a value of the field %s',
  async (field) => {
    await open({ field, op: 'eq', value: '' })
    const box = await screen.findByRole('textbox', { name: '値' })
    fireEvent.change(box, { target: { value: 'あか' } })
    await waitFor(() => expect(box.getAttribute('aria-invalid')).toBe('true'))
    expect(onChange).not.toHaveBeenCalled()
  },
)

it.each([
  ['kind', '日記', 'diary'],
  ['done', 'オフ', 'false'],
])('FilterBuilder offers the values of the field %s by their labels', async (field, name, value) => {
  await open({ field, op: 'eq', value: '' })
  fireEvent.click(await screen.findByRole('combobox', { name: '値' }))
  fireEvent.click(await screen.findByRole('option', { name, hidden: true }))
  expect(onChange).toHaveBeenLastCalledWith([{ field, op: 'eq', value }])
})

it.each(['day', '_sys.updatedAt'])('FilterBuilder shows a date input for the field %s', async (field) => {
  await open({ field, op: 'on', value: '2026-04-01' })
  const day = await screen.findByLabelText('値')
  expect([day.getAttribute('type'), (day as HTMLInputElement).value]).toEqual(['date', '2026-04-01'])
})
